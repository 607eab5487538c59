// The order in which those who wait get their turns: round robin by owner, and within an owner by the next name of the path. So
// an owner that asks for a hundred things at once holds up another owner by at most one of them. Pure.

/** Who asks, from the largest to the smallest unit: its service, its token. Shares are fair at each level. */
export type Owner = readonly string[];

export interface Waits {
  /** The names of the owner, each with all names before it, so that two owners never have the same path. */
  readonly paths: readonly string[];
  /** When it came. The count goes up with every turn that begins to wait or ends. */
  readonly at: number;
}

/** The turns that an owner has now. */
export interface Share {
  running: number;
  /** When its newest turn ended, counted as Waits.at; undefined: none has ended since the owner last had nothing. */
  served: number | undefined;
}

export const pathsOf = (owner: Owner): string[] => owner.map((_, at) => owner.slice(0, at + 1).join('\n'));

/** The first is the next. Where too many wait, the last is refused. `waiting` is in the order in which they came. */
export function fairOrder<Waiting extends Waits>(
  waiting: readonly Waiting[],
  shareOf: (path: string) => Share | undefined,
  level = 0,
): readonly Waiting[] {
  if (waiting.length < 2) return waiting;
  const groups = new Map<string, Waiting[]>();
  for (const one of waiting) {
    const path = one.paths[level];
    if (path === undefined) return waiting;
    const own = groups.get(path);
    if (own === undefined) groups.set(path, [one]);
    else own.push(one);
  }
  return [...groups]
    .flatMap(([path, own]) => {
      const share = shareOf(path);
      const since = share?.served ?? own[0]?.at ?? 0;
      return fairOrder(own, shareOf, level + 1).map((one, index) => {
        return { one, place: index + (share?.running ?? 0), since };
      });
    })
    .toSorted((left, right) => left.place - right.place || left.since - right.since)
    .map(({ one }) => one);
}
