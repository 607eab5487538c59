// Where the project lies, seen from the sources (tools/house) and from their compiled form (dist/tools/house) alike.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

function findUp(from: string): string {
  if (existsSync(join(from, 'package-lock.json'))) return from;
  const above = dirname(from);
  if (above === from) throw new Error('the project folder (with package-lock.json) is not above this file');
  return findUp(above);
}

export const projectRoot = findUp(import.meta.dirname);
