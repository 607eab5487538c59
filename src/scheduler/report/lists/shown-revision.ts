// A revision as its publisher wrote it, for people: long lists of recipients are cut, and their lengths said. Pure.

/** Of each list of recipients, as many are shown. */
const SHOWN = 3;

/** The members of the data that name recipients: an audience, and the segments of a delivery. */
const HOLDERS = ['audience', 'delivery'] as const;

export interface CutData {
  readonly data: Record<string, unknown>;
  /** By JSON pointer, the length of each list that was cut. */
  readonly cut: Record<string, number>;
}

/** Cuts every `to` of an audience, also of its segments. Nobody reads fifty thousand ids, and they are users. */
export function withoutIds(data: Readonly<Record<string, unknown>>): CutData {
  const cut: Record<string, number> = {};
  const copy = (value: unknown, pointer: string): unknown => {
    if (Array.isArray(value)) {
      const items = value as unknown[];
      if (!pointer.endsWith('/to') || items.length <= SHOWN) {
        return items.map((item, index) => copy(item, `${pointer}/${index}`));
      }
      cut[pointer] = items.length;
      return items.slice(0, SHOWN);
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, copy(member, `${pointer}/${name}`)]),
    );
  };
  const shown = { ...data };
  for (const member of HOLDERS)
    if (Object.hasOwn(data, member)) shown[member] = copy(data[member], `/${member}`);
  return { data: shown, cut };
}
