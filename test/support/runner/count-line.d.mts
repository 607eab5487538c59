export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}
export function countLine(counts: Counts): string;
