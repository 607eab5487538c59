// In which order those who wait get their turns: round robin by owner, and within an owner by what of it waits. So one that
// asks for a hundred things at once holds up another by one of them at most. Pure.

/** Who asks, from the largest to the smallest that shares are fair between: its service, its token. */
export type Owner = readonly string[];

export interface Waits {
  /** Names of the owner, each with all before it: those of two owners are never equal. */
  readonly paths: readonly string[];
  /** When it came; counts up with every turn that is waited for or ends. */
  readonly at: number;
}

/** What an owner has at the moment. */
export interface Share {
  running: number;
  /** When its newest turn ended, counted as Waits.at; undefined: none has since it last had nothing. */
  served: number | undefined;
}

export const pathsOf = (owner: Owner): string[] => owner.map((_, at) => owner.slice(0, at + 1).join('\n'));

/** The first of them is the next. Where too many wait, the last has the least claim to. `waiting`: in the order they came. */
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
