// The order of texts by code units, for sorting: the same in any process, whatever its locale.

export function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
