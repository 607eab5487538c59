// Which replicas a replica takes for dead, heartbeat by heartbeat.
import { describe, expect, it } from 'vitest';
import { ReplicaObserver, type ReplicaBeat } from './replica-observer.js';

const T = 1_000;
const EVERY = 200;
const OWN = 'm';

/** What the observer reads at each of its heartbeats; `missed`: its own failed; a number: so long nothing at all happens. */
type Step = Readonly<Record<string, string>> | 'missed' | number;

function observed(steps: readonly Step[]): { observer: ReplicaObserver; goneAt: number[] } {
  const observer = new ReplicaObserver(OWN, T);
  const goneAt: number[] = [];
  let now = 5_000;
  for (const [index, step] of steps.entries()) {
    if (typeof step === 'number') {
      now += step;
      continue;
    }
    now += EVERY;
    if (step === 'missed') {
      observer.missed();
      continue;
    }
    const rows: ReplicaBeat[] = Object.entries({ [OWN]: String(now), ...step }).map(([id, beat]) => ({
      id,
      beat,
    }));
    if (observer.read(rows, { startedAt: now, endedAt: now + 10 })) goneAt.push(index);
  }
  return { observer, goneAt };
}

const same = (beats: Readonly<Record<string, string>>, times: number): Step[] =>
  Array.from({ length: times }, () => beats);
const beating = (id: string, times: number): Step[] =>
  Array.from({ length: times }, (_, index) => ({ [id]: `beat ${index}` }));

describe('a replica', () => {
  it.each<[string, readonly Step[], { live: string[]; dead: string[]; goneAt: number[] }]>([
    ['is alone before it read of another', [], { live: [OWN], dead: [], goneAt: [] }],
    ['takes who writes heartbeats for alive', beating('a', 50), { live: ['a', OWN], dead: [], goneAt: [] }],
    [
      'takes who is silent for T for dead, once',
      same({ a: '1', z: '1' }, 8).map((beats, index) => ({ ...(beats as object), z: `${index}` })),
      { live: [OWN, 'z'], dead: ['a'], goneAt: [6] },
    ],
    ['not a heartbeat sooner', same({ a: '1' }, 6), { live: ['a', OWN], dead: [], goneAt: [] }],
    [
      'takes it for alive again with its next heartbeat, whatever that says: the database’s clock may be set back',
      [...same({ a: '5' }, 8), { a: '4' }],
      { live: ['a', OWN], dead: [], goneAt: [6] },
    ],
    [
      'takes whose row is gone for gone at once',
      [{ a: '1', b: '1' }, { b: '2' }],
      { live: ['b', OWN], dead: [], goneAt: [1] },
    ],
    ['forgets a dead one with its row', [...same({ a: '1' }, 8), {}], { live: [OWN], dead: [], goneAt: [6] }],
    [
      'condemns nobody for an outage in which its own heartbeats failed, however long',
      [...same({ a: '1' }, 5), ...same({}, 20).map((): Step => 'missed'), ...same({ a: '1' }, 6)],
      { live: ['a', OWN], dead: [], goneAt: [] },
    ],
    [
      'nor for one in which its own heartbeat hung and nothing failed',
      [...same({ a: '1' }, 5), 30_000, ...same({ a: '1' }, 6)],
      { live: ['a', OWN], dead: [], goneAt: [] },
    ],
    [
      'nor where now and then a heartbeat of its own fails',
      [...same({ a: '1' }, 4), 'missed', ...same({ a: '1' }, 4), 'missed', ...same({ a: '1' }, 4)],
      { live: ['a', OWN], dead: [], goneAt: [] },
    ],
    [
      'condemns who stays silent for T after an outage',
      [...same({ a: '1' }, 5), 'missed', ...same({ a: '1' }, 7)],
      { live: [OWN], dead: ['a'], goneAt: [12] },
    ],
    [
      'keeps who was dead before an outage for dead after it',
      [...same({ a: '1' }, 8), 'missed', { a: '1' }],
      { live: [OWN], dead: ['a'], goneAt: [6] },
    ],
    [
      // The monotonic clock stands while the machine sleeps.
      'that slept takes nobody for dead on waking',
      [...same({ a: '1' }, 5), { a: '900' }, ...same({ a: '900' }, 5)],
      { live: ['a', OWN], dead: [], goneAt: [] },
    ],
  ])('%s', (_, steps, expected) => {
    const { observer, goneAt } = observed(steps);
    expect({ live: observer.live, dead: observer.dead.map(({ id }) => id), goneAt }).toEqual(expected);
  });

  it('names the heartbeat by which a replica is dead', () => {
    expect(observed(same({ a: '7' }, 8)).observer.dead).toEqual([{ id: 'a', beat: '7' }]);
  });
});
