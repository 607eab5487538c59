// What the one clock of a user shows when it is nine on the other. Both offsets are those that the server tells. Pure.

export interface OtherClock {
  /** `08:00` */
  readonly time: string;
  /** −1: the day before, 1: the day after. */
  readonly days: number;
}

const NINE_MINUTES = 9 * 60;
const DAY_MINUTES = 24 * 60;

/** Offsets are seconds east of UTC. `directory`: of the clock on which it is 09:00. */
export function nineOn(directory: number, registered: number): OtherClock {
  const minutes = NINE_MINUTES + Math.round((registered - directory) / 60);
  const days = Math.floor(minutes / DAY_MINUTES);
  const ofDay = minutes - days * DAY_MINUTES;
  const two = (value: number): string => String(value).padStart(2, '0');
  return { time: `${two(Math.floor(ofDay / 60))}:${two(ofDay % 60)}`, days };
}
