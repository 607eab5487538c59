// The order in which rows that others may be writing as well are written, so that two batches cannot deadlock. By code
// units: what any process finds, whatever its locale.

export function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
