import { describe, expect, it } from 'vitest';
import { Circuit } from './circuit.js';

const LIMITS = { after: 3, baseMs: 100, capMs: 400 };

/** Open, at `elapsed` 0. */
function opened(): Circuit {
  const circuit = new Circuit(LIMITS);
  for (let call = 0; call < LIMITS.after; call += 1) circuit.notReached(0);
  return circuit;
}

describe('a circuit', () => {
  it('opens with the last of a run of calls that never started, and says so once', () => {
    const circuit = new Circuit(LIMITS);
    expect([circuit.notReached(0), circuit.notReached(0)]).toEqual([false, false]);
    expect([circuit.stateAt(0), circuit.admit(0)]).toEqual(['closed', true]);
    expect(circuit.notReached(0)).toBe(true);
    expect([circuit.stateAt(0), circuit.admit(0), circuit.opensAt]).toEqual(['open', false, 100]);
  });

  it('begins to count anew with every call that started', () => {
    const circuit = new Circuit(LIMITS);
    circuit.notReached(0);
    circuit.notReached(0);
    expect(circuit.reached()).toBe(false);
    circuit.notReached(0);
    circuit.notReached(0);
    expect(circuit.stateAt(0)).toBe('closed');
  });

  it('does not rest longer for calls that were under way when it opened', () => {
    const circuit = opened();
    expect(circuit.notReached(90)).toBe(false);
    expect(circuit.opensAt).toBe(100);
  });

  it('lets one probe through when its rest is over, and none beside it', () => {
    const circuit = opened();
    expect(circuit.stateAt(99)).toBe('open');
    expect(circuit.stateAt(100)).toBe('half-open');
    expect([circuit.admit(100), circuit.admit(100)]).toEqual([true, false]);
  });

  it('closes with a probe that started', () => {
    const circuit = opened();
    circuit.admit(100);
    expect(circuit.reached()).toBe(true);
    expect([circuit.stateAt(100), circuit.admit(100), circuit.admit(100)]).toEqual(['closed', true, true]);
  });

  it('rests twice as long after each failed probe, up to its cap', () => {
    const circuit = opened();
    const rests = [1, 2, 3, 4].map(() => {
      const at = circuit.opensAt;
      circuit.admit(at);
      circuit.notReached(at);
      return circuit.opensAt - at;
    });
    expect(rests).toEqual([200, 400, 400, 400]);
  });

  it('begins with the shortest rest again once it has been closed', () => {
    const circuit = opened();
    circuit.admit(100);
    circuit.notReached(100);
    circuit.reached();
    for (let call = 0; call < LIMITS.after; call += 1) circuit.notReached(1_000);
    expect(circuit.opensAt).toBe(1_100);
  });

  it('gives the probe back that was not made', () => {
    const circuit = opened();
    circuit.admit(100);
    circuit.released();
    expect(circuit.admit(100)).toBe(true);
  });
});
