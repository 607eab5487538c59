// The clock that times are shown on, chosen once for all pages; and the server's now, which a sandbox may let run faster.
import { createContext, useContext } from 'react';
import type { ClockName } from './reading.ts';

export interface ChosenClock {
  readonly clock: ClockName;
  readonly choose: (clock: ClockName) => void;
  /** The server's clock, epoch milliseconds. */
  readonly now: () => number;
}

export const ClockContext = createContext<ChosenClock>({
  clock: 'mine',
  choose: () => undefined,
  now: () => Date.now(),
});

export const useClock = (): ChosenClock => useContext(ClockContext);
