import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { JvmBroker } from './jvm-broker.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon broker '));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('keeps the archive of classes that a broker wrote to its end, and none of a killed one', async () => {
  const jar = join(folder, 'one.jar');
  writeFileSync(jar, '');
  const data = join(folder, 'state', 'kafka');
  mkdirSync(data, { recursive: true });
  // Formatted already: no JVM runs here.
  writeFileSync(join(data, 'meta.properties'), '');
  const broker = new JvmBroker({ command: 'java', version: '17' }, [jar], join(folder, 'state'));
  const archives = (): string[] => readdirSync(folder).filter((name) => name.includes('.jsa'));
  const archiveOf = async (): Promise<string> => {
    const { args } = await broker.prepare('cluster', 1, 2);
    const [, file = ''] = args.find((arg) => arg.startsWith('-XX:ArchiveClassesAtExit='))?.split('=') ?? [];
    return file;
  };
  writeFileSync(await archiveOf(), 'half');
  await broker.ended(true);
  expect(archives()).toEqual([]);
  writeFileSync(await archiveOf(), 'whole');
  await broker.ended(false);
  expect(archives()).toEqual([expect.stringMatching(/^classes-[0-9a-f]{12}\.jsa$/)]);
});
