import { describe, expect, it } from 'vitest';
import { Circuit, circuitDefaults } from './circuit.js';

const LIMITS = { after: 3, baseMs: 100, capMs: 400 };

/** Open, at `elapsed` 0. */
function opened(): Circuit {
  const circuit = new Circuit(LIMITS);
  for (let call = 0; call < LIMITS.after; call += 1) circuit.ended('bad', 0);
  return circuit;
}

/** With a good GET, so that one POST may go. */
function asked(at: number): Circuit {
  const circuit = opened();
  circuit.heard('good', at);
  return circuit;
}

describe('a circuit', () => {
  it('opens with the last of a run of POSTs that ended badly, and says so once', () => {
    const circuit = new Circuit(LIMITS);
    expect([circuit.ended('bad', 0), circuit.ended('bad', 0)]).toEqual([undefined, undefined]);
    expect([circuit.stateAt(0), circuit.admit(0)]).toEqual(['closed', true]);
    expect(circuit.ended('bad', 0)).toBe('opened');
    expect([circuit.stateAt(0), circuit.admit(0), circuit.opensAt]).toEqual(['open', false, 100]);
  });

  it('begins to count anew with every good POST, and with nothing else', () => {
    const circuit = new Circuit(LIMITS);
    circuit.ended('bad', 0);
    circuit.ended('bad', 0);
    expect(circuit.ended('good', 0)).toBeUndefined();
    circuit.ended('bad', 0);
    circuit.ended('bad', 0);
    circuit.heard('good', 0);
    circuit.ended('none', 0);
    expect(circuit.stateAt(0)).toBe('closed');
    expect(circuit.ended('bad', 0)).toBe('opened');
  });

  it('is not opened by GETs', () => {
    const circuit = new Circuit(LIMITS);
    for (let call = 0; call < 10; call += 1) circuit.heard('bad', 0);
    expect(circuit.stateAt(0)).toBe('closed');
  });

  it('does not rest longer for calls that were under way when it opened', () => {
    const circuit = opened();
    expect(circuit.ended('bad', 90)).toBeUndefined();
    expect(circuit.opensAt).toBe(100);
  });

  it('wants one GET when its rest is over, and lets no POST through before it was good', () => {
    const circuit = opened();
    expect([circuit.stateAt(99), circuit.ask(99)]).toEqual(['open', false]);
    expect([circuit.stateAt(100), circuit.admit(100)]).toEqual(['half-open', false]);
    expect([circuit.ask(100), circuit.ask(100)]).toEqual([true, false]);
    circuit.heard('good', 110);
    expect([circuit.ask(110), circuit.admit(110), circuit.admit(110)]).toEqual([false, true, false]);
  });

  it('asks again where its GET could not be made', () => {
    const circuit = opened();
    circuit.ask(100);
    circuit.notAsked();
    expect(circuit.ask(100)).toBe(true);
  });

  it.each(['bad', 'none'] as const)('rests longer after a GET whose evidence is %s', (evidence) => {
    const circuit = opened();
    circuit.ask(100);
    circuit.heard(evidence, 110);
    expect([circuit.stateAt(110), circuit.opensAt, circuit.admit(110)]).toEqual(['open', 310, false]);
  });

  it('closes with a good POST, and not with a good GET', () => {
    const circuit = asked(100);
    expect(circuit.stateAt(100)).toBe('half-open');
    circuit.admit(100);
    expect(circuit.ended('good', 100)).toBe('closed');
    expect([circuit.stateAt(100), circuit.admit(100), circuit.admit(100)]).toEqual(['closed', true, true]);
  });

  it.each(['bad', 'none'] as const)('stays open after a probe whose evidence is %s', (evidence) => {
    const circuit = asked(100);
    circuit.admit(100);
    expect(circuit.ended(evidence, 110)).toBe('still-open');
    expect([circuit.stateAt(110), circuit.opensAt]).toEqual(['open', 310]);
  });

  it('rests twice as long after each failed probe, up to its cap, and begins anew once closed', () => {
    const circuit = opened();
    const rests = [1, 2, 3, 4].map(() => {
      const at = circuit.opensAt;
      circuit.heard('good', at);
      circuit.admit(at);
      circuit.ended('bad', at);
      return circuit.opensAt - at;
    });
    expect(rests).toEqual([200, 400, 400, 400]);
    circuit.ended('good', 900);
    for (let call = 0; call < LIMITS.after; call += 1) circuit.ended('bad', 1_000);
    expect(circuit.opensAt).toBe(1_100);
  });

  it('gives the probe back that was not made', () => {
    const circuit = asked(100);
    circuit.admit(100);
    circuit.released();
    expect(circuit.admit(100)).toBe(true);
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
      let onWire = 0;
      for (let at = 0; at < MINUTES_5; at += 1) {
        for (let end = ends.get(at) ?? 0; end > 0; end -= 1) {
          onWire -= 1;
          circuit.ended('bad', at);
        }
        if (at === getEnds) circuit.heard(gets, at);
        if (circuit.ask(at)) getEnds = at + latencyMs;
        for (let token = 0; token < 64 && onWire < IN_FLIGHT && circuit.admit(at); token += 1) {
          sent += 1;
          onWire += 1;
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

  it('leave what was on the wire when GETs fail as well', () => {
    expect(posts('bad', 20)).toBeLessThanOrEqual(REPLICAS * (IN_FLIGHT + circuitDefaults.after - 1));
  });
});
