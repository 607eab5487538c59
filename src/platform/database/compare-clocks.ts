// Finds out which of several clocks is wrong. All are compared with the database's, which is one of them. Pure.

/** How far clocks may be apart, milliseconds. */
export const MAY_BE_APART = 1_000;

/** The clock of another machine. */
export interface OtherClock {
  /** The processes of a machine share one clock. */
  readonly machine: string;
  /** How far it is ahead of the database's, milliseconds. */
  readonly aheadMs: number;
}

export type ClockVerdict =
  | { readonly kind: 'right' }
  /** More clocks agree with this one than with any other: the database's is wrong. `agree`: how many machines do. */
  | { readonly kind: 'database-wrong'; readonly agree: number }
  /** Some other machine agrees with the database, and no more agree with this one. */
  | { readonly kind: 'machine-wrong' }
  /** Two clocks, or several that all differ: nobody can say which is right. */
  | { readonly kind: 'unclear' };

/** Judges the clock of `own`, one of the machines; what others say of the same machine does not count. */
export function compareClocks(own: OtherClock, others: readonly OtherClock[]): ClockVerdict {
  if (Math.abs(own.aheadMs) <= MAY_BE_APART) return { kind: 'right' };
  const machines = new Map(others.map(({ machine, aheadMs }) => [machine, aheadMs]));
  machines.delete(own.machine);
  // The database's clock is the 0.
  const clocks = [0, own.aheadMs, ...machines.values()];
  const near = (one: number): number =>
    clocks.filter((other) => Math.abs(other - one) <= MAY_BE_APART).length;
  const rivals = clocks.filter((one) => Math.abs(one - own.aheadMs) > MAY_BE_APART).map(near);
  const agree = near(own.aheadMs) - 1;
  if (agree + 1 > Math.max(...rivals)) return { kind: 'database-wrong', agree };
  return near(0) > 1 ? { kind: 'machine-wrong' } : { kind: 'unclear' };
}
