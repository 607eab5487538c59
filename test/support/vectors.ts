// Rows of test/vectors, which other tools made and nobody here changes.
import { readFileSync } from 'node:fs';

const FOLDER = new URL('../vectors/', import.meta.url);

export function vectorBytes(file: string): Buffer {
  return readFileSync(new URL(file, FOLDER));
}

export function vectorRows<Row>(file: string): Row[] {
  return vectorBytes(file)
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

/** The release a row needs, where older ones give another answer. */
export interface SensitiveRow {
  readonly id: string;
  readonly zone: string;
  readonly tzdata: string;
  readonly tzdata_sensitive: boolean;
}
