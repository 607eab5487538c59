// Compares strings by code units, for sorting: the same order in any process, whatever its locale.

export function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
