// Reads a secret from the environment, from a pipe, or from a terminal without showing it. Never from the arguments:
// every user of the machine can read those.
import { text } from 'node:stream/consumers';
import { processEnvironment } from '../platform/env.js';
import { UsageError } from './usage-error.js';

const ENTER = ['\r', '\n', '\u0004'];
const INTERRUPT = '\u0003';
const ERASE = ['\u007f', '\b'];

/** `variable` wins where it is set; else standard input, its line end left out. Throws UsageError for nothing. */
export async function readSecret(what: string, variable: string): Promise<string> {
  const given = processEnvironment()[variable];
  const read = given !== undefined && given !== '' ? given : await fromInput(what);
  const secret = read.replace(/\r?\n$/, '');
  if (secret !== '') return secret;
  throw new UsageError(`give the ${what} on standard input, or in ${variable}`);
}

async function fromInput(what: string): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin);
  process.stderr.write(`${what} (not shown): `);
  process.stdin.setRawMode(true);
  try {
    return await typed();
  } finally {
    process.stdin.setRawMode(false);
    process.stdin.pause();
    process.stderr.write('\n');
  }
}

async function typed(): Promise<string> {
  let secret = '';
  for await (const chunk of process.stdin) {
    for (const character of String(chunk)) {
      if (character === INTERRUPT) throw new UsageError('interrupted');
      if (ENTER.includes(character)) return secret;
      secret = ERASE.includes(character) ? secret.slice(0, -1) : secret + character;
    }
  }
  return secret;
}
