// Compares strings by code units, so that every process sorts in the same order, whatever its locale.

export function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
