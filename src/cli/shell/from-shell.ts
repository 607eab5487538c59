// Reads what a command gets from its shell: arguments, by the API's own schemas; a secret; and who calls.
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { z } from 'zod';
import { processEnvironment } from '../../platform/env.js';
import { issueText } from '../../platform/http/issue-text.js';
import { readStandardInput } from './read-text.js';
import { SECRET_VARIABLE, UsageError } from './usage-error.js';

/**
 * Throws a UsageError that names every fault. `options`: the option of each member of the schema; a member without one is named by its
 * own name.
 */
export function fromShell<Schema extends z.ZodObject>(
  schema: Schema,
  given: unknown,
  options: Readonly<Record<string, string>> = {},
): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      const there = path.length > 0 ? '' : `; there are ${Object.keys(schema.shape).join(', ')}`;
      return issue.keys.map((key) => `  - ${[...path, key].join('.')}: there is no such setting${there}`);
    }
    return `  - ${options[path[0] ?? ''] ?? path.join('.')}: ${issueText(issue)}`;
  });
  throw new UsageError(`the call cannot be used:\n${faults.join('\n')}`);
}

/**
 * Reads a secret from the environment, from a pipe, or from a terminal without showing it; never from the arguments, which
 * every user of the machine can read. Drops the line end. Throws UsageError if there is none.
 */
export async function readSecretKey(): Promise<string> {
  const given = processEnvironment()[SECRET_VARIABLE] || (await readHidden('secret key'));
  const secret = given.replace(/\r?\n$/, '');
  if (secret !== '') return secret;
  throw new UsageError(`give the secret key on standard input, or in ${SECRET_VARIABLE}`);
}

/** From a pipe, or typed at a terminal without being shown; `what` is its prompt. */
export async function readHidden(what: string): Promise<string> {
  if (!process.stdin.isTTY) return readStandardInput();
  process.stderr.write(`${what} (not shown): `);
  // Discards the echo of what is typed.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  // No line comes after an interrupt, or at the end of the input.
  const line = await terminal[Symbol.asyncIterator]().next();
  terminal.close();
  process.stderr.write('\n');
  return line.value ?? '';
}

/** The name that audit rows have for what a command did. */
export function shellUser(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // A container's user id may have no name.
    return `cli:${process.getuid?.() ?? 'unknown'}`;
  }
}
