import { describe, expect, it } from 'vitest';
import { Circuit, circuitDefaults } from './circuit.js';

const LIMITS = { after: 3, baseMs: 100, capMs: 400 };

/** A circuit that opened at `elapsed` 0. */
function opened(): Circuit {
  const circuit = new Circuit(LIMITS);
  for (let call = 0; call < LIMITS.after; call += 1) circuit.ended('bad', 0);
  return circuit;
}

/** Counts a good GET, so that one POST may leave. */
function asked(at: number): Circuit {
  const circuit = opened();
  circuit.getAnswered('good', at);
  return circuit;
}

describe('a circuit', () => {
  it('opens after so many POSTs in a row that ended badly, and returns that once', () => {
    const circuit = new Circuit(LIMITS);
    expect([circuit.ended('bad', 0), circuit.ended('bad', 0)]).toEqual([undefined, undefined]);
    expect([circuit.stateAt(0), circuit.admit('s', 0)]).toEqual(['closed', true]);
    expect(circuit.ended('bad', 0)).toBe('opened');
    expect([circuit.stateAt(0), circuit.admit('s', 0), circuit.opensAt]).toEqual(['open', false, 100]);
  });

  it('counts from 0 after each good POST, and after nothing else', () => {
    const circuit = new Circuit(LIMITS);
    circuit.ended('bad', 0);
    circuit.ended('bad', 0);
    expect(circuit.ended('good', 0)).toBeUndefined();
    circuit.ended('bad', 0);
    circuit.ended('bad', 0);
    circuit.getAnswered('good', 0);
    circuit.ended('none', 0);
    expect(circuit.stateAt(0)).toBe('closed');
    expect(circuit.ended('bad', 0)).toBe('opened');
  });

  it('is not opened by GETs', () => {
    const circuit = new Circuit(LIMITS);
    for (let call = 0; call < 10; call += 1) circuit.getAnswered('bad', 0);
    expect(circuit.stateAt(0)).toBe('closed');
  });

  it('does not stay open longer because of calls that were in flight when it opened', () => {
    const circuit = opened();
    expect(circuit.ended('bad', 90)).toBeUndefined();
    expect(circuit.opensAt).toBe(100);
  });

  it('wants one GET when it is half-open, and admits no POST before that was good', () => {
    const circuit = opened();
    expect([circuit.stateAt(99), circuit.ask(99)]).toEqual(['open', false]);
    expect([circuit.stateAt(100), circuit.admit('s', 100)]).toEqual(['half-open', false]);
    expect([circuit.ask(100), circuit.ask(100)]).toEqual([true, false]);
    circuit.probeAnswered('good', 110);
    expect([circuit.ask(110), circuit.admit('s', 110), circuit.admit('s', 110)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('wants another GET if one could not be made', () => {
    const circuit = opened();
    circuit.ask(100);
    circuit.notAsked();
    expect(circuit.ask(100)).toBe(true);
  });

  it.each(['bad', 'none'] as const)('stays open longer after a GET whose evidence is %s', (evidence) => {
    const circuit = opened();
    circuit.ask(100);
    circuit.probeAnswered(evidence, 110);
    expect([circuit.stateAt(110), circuit.opensAt, circuit.admit('s', 110)]).toEqual(['open', 310, false]);
  });

  it('closes with a good POST, and not with a good GET', () => {
    const circuit = asked(100);
    expect(circuit.stateAt(100)).toBe('half-open');
    circuit.admit('s', 100);
    expect(circuit.ended('good', 100)).toBe('closed');
    expect([circuit.stateAt(100), circuit.admit('s', 100), circuit.admit('s', 100)]).toEqual([
      'closed',
      true,
      true,
    ]);
  });

  it.each(['bad', 'none'] as const)('stays open after a probe whose evidence is %s', (evidence) => {
    const circuit = asked(100);
    circuit.admit('s', 100);
    expect(circuit.ended(evidence, 110)).toBe('still-open');
    expect([circuit.stateAt(110), circuit.opensAt]).toEqual(['open', 310]);
  });

  it('is open twice as long after each failed probe, up to a cap, and begins with the shortest time after it was closed', () => {
    const circuit = opened();
    const opens = [1, 2, 3, 4].map(() => {
      const at = circuit.opensAt;
      circuit.getAnswered('good', at);
      circuit.admit('s', at);
      circuit.ended('bad', at);
      return circuit.opensAt - at;
    });
    expect(opens).toEqual([200, 400, 400, 400]);
    circuit.ended('good', 900);
    for (let call = 0; call < LIMITS.after; call += 1) circuit.ended('bad', 1_000);
    expect(circuit.opensAt).toBe(1_100);
  });

  it('admits another probe if one was not made, but not if another send was not', () => {
    const circuit = asked(100);
    circuit.admit('s', 100);
    circuit.released('other');
    expect(circuit.admit('other', 100)).toBe(false);
    circuit.released('s');
    expect(circuit.admit('other', 100)).toBe(true);
  });

  it('admits a POST after a good GET of its own, even if GETs of others are bad', () => {
    const circuit = opened();
    circuit.ask(100);
    circuit.getAnswered('bad', 110);
    circuit.getAnswered('none', 120);
    circuit.probeAnswered('good', 130);
    circuit.getAnswered('bad', 140);
    expect(circuit.admit('s', 150)).toBe(true);
  });

  it('admits a POST after a good GET of another, even if its own is bad then', () => {
    const circuit = opened();
    circuit.ask(100);
    circuit.getAnswered('good', 110);
    expect(circuit.probeAnswered('bad', 120)).toBe(false);
    expect(circuit.admit('s', 120)).toBe(true);
  });
});

describe('a repeat', () => {
  it('is the probe of a half-open circuit without a GET: one, and no send at the same time', () => {
    const circuit = opened();
    expect(circuit.admit('r', 99, 'repeat')).toBe(false);
    circuit.ask(100);
    expect([circuit.admit('r', 100, 'repeat'), circuit.admit('other', 100, 'repeat')]).toEqual([true, false]);
    circuit.probeAnswered('good', 110);
    expect(circuit.admit('s', 110)).toBe(false);
    expect(circuit.ended('good', 120)).toBe('closed');
    expect(circuit.admit('r', 120, 'repeat')).toBe(true);
  });

  it('that was not made leaves the circuit as before: it wants a GET', () => {
    const circuit = opened();
    circuit.ask(100);
    circuit.admit('r', 100, 'repeat');
    circuit.released('r');
    expect([circuit.admit('s', 100), circuit.ask(100)]).toEqual([false, true]);
  });
});

describe('a gateway whose GETs never prove anything', () => {
  /** When POSTs were admitted within `forMs`; each is answered at once as `posts`. */
  function admitted(forMs: number, posts: 'good' | 'bad'): number[] {
    const circuit = new Circuit(circuitDefaults);
    for (let call = 0; call < circuitDefaults.after; call += 1) circuit.ended('bad', 0);
    const at: number[] = [];
    for (let elapsed = 0; elapsed < forMs && circuit.stateAt(elapsed) !== 'closed'; elapsed += 100) {
      if (circuit.ask(elapsed)) circuit.probeAnswered('none', elapsed);
      if (!circuit.admit('s', elapsed)) continue;
      at.push(elapsed);
      circuit.ended(posts, elapsed);
    }
    return at;
  }

  it('is sent to again within two minutes after its POSTs are good', () => {
    expect(admitted(120_000, 'good')).toHaveLength(1);
  });

  it('gets about one POST a minute while they are bad, each after at least four times of the longest length', () => {
    const at = admitted(300_000, 'bad');
    expect(at.length).toBeGreaterThan(2);
    expect(at.length).toBeLessThanOrEqual(5);
    at.slice(1).forEach((one, index) => expect(one - (at[index] ?? 0)).toBeGreaterThanOrEqual(60_000));
  });
});

describe('five minutes of 502 at a thousand calls a second, over two replicas', () => {
  const [REPLICAS, IN_FLIGHT, MINUTES_5] = [2, 64, 300_000];

  /** Every POST is answered after `latencyMs` with 502, every GET as `gets`. Millisecond by millisecond. */
  function posts(gets: 'good' | 'bad', latencyMs: number): number {
    let sent = 0;
    for (let replica = 0; replica < REPLICAS; replica += 1) {
      const circuit = new Circuit(circuitDefaults);
      const ends = new Map<number, number>();
      let getEnds: number | undefined;
      let inFlight = 0;
      for (let at = 0; at < MINUTES_5; at += 1) {
        for (let end = ends.get(at) ?? 0; end > 0; end -= 1) {
          inFlight -= 1;
          circuit.ended('bad', at);
        }
        if (at === getEnds) circuit.probeAnswered(gets, at);
        if (circuit.ask(at)) getEnds = at + latencyMs;
        for (let token = 0; token < 64 && inFlight < IN_FLIGHT && circuit.admit('s', at); token += 1) {
          sent += 1;
          inFlight += 1;
          ends.set(at + latencyMs, (ends.get(at + latencyMs) ?? 0) + 1);
        }
      }
    }
    return sent;
  }

  it.each([1, 20, 5_000])('may leave 2 × inFlight + 60 uncertain, answered after %i ms', (latencyMs) => {
    const sent = posts('good', latencyMs);
    expect(sent).toBeGreaterThan(REPLICAS * IN_FLIGHT);
    expect(sent).toBeLessThanOrEqual(REPLICAS * IN_FLIGHT + 60);
  });

  it('leave the POSTs in flight, and few more, uncertain if GETs fail as well', () => {
    expect(posts('bad', 20)).toBeLessThanOrEqual(REPLICAS * (IN_FLIGHT + circuitDefaults.after - 1));
  });
});
