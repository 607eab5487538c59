// The version of this package, for people who report what they run.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** From the nearest package.json above: compiled files lie one folder deeper than sources. */
export function packageVersion(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  }
  return 'unknown';
}
