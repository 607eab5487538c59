import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findKafka } from './find.js';
import { findJava } from './java.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon find '));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A folder with a `java` that names itself so: what is read is the sentence real ones print on stderr. */
function javaThatSays(home: string, version: string): string {
  const bin = join(folder, home, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'java'), `#!/bin/sh\necho 'openjdk version "${version}" 2026-04-15' >&2\n`);
  chmodSync(join(bin, 'java'), 0o755);
  return bin;
}

it('takes the brokers it is given, whatever else there is', async () => {
  expect(await findKafka({ env: { KAFKA_BROKERS: ' one:9092, two:9092 ', PATH: folder } })).toEqual({
    kind: 'given',
    brokers: ['one:9092', 'two:9092'],
  });
});

it('says what was looked for and what would help when there is none', async () => {
  const found = await findKafka({ env: { KAFKA_BROKERS: '', PATH: folder } });
  expect(found).toEqual({
    kind: 'none',
    reason:
      'There is no Kafka to be had. No Java was found. Docker does not answer either. Install Java 17 or newer, ' +
      'start Docker, or set KAFKA_BROKERS to brokers of yours.',
  });
});

it('names the Java that is too old', async () => {
  const found = await findKafka({ env: { PATH: javaThatSays('old', '1.8.0_402') } });
  expect(found).toMatchObject({
    kind: 'none',
    reason: expect.stringContaining('The Java found is 1.8.0_402, and Kafka needs 17 or newer.') as string,
  });
});

it.each(['17.0.15', '17', '21.0.2', '25-ea', '26+11'])(
  'takes a Java that calls itself %s',
  async (version) => {
    const bin = javaThatSays('new', version);
    expect(await findJava({ PATH: bin })).toEqual({ command: 'java', version });
  },
);

it.each(['1.7.0_80', '9.0.4', '11.0.23', '16-ea'])('takes no Java that calls itself %s', async (version) => {
  expect(await findJava({ PATH: javaThatSays('new', version) })).toHaveProperty('reason');
});

it('prefers the Java of JAVA_HOME, and passes over one that is not there', async () => {
  const path = javaThatSays('path', '21.0.2');
  javaThatSays('home', '17.0.15');
  const home = join(folder, 'home');
  expect(await findJava({ PATH: path, JAVA_HOME: home })).toEqual({
    command: join(home, 'bin', 'java'),
    version: '17.0.15',
  });
  expect(await findJava({ PATH: path, JAVA_HOME: join(folder, 'gone') })).toMatchObject({
    version: '21.0.2',
  });
});
