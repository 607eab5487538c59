// Reads the text of a file, or of standard input: UTF-8, also with the byte order mark that editors and shells of Windows write.
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { errorCode } from '../../platform/logging/error-code.js';
import { decodeUtf8, notUtf8Text } from '../../platform/utf8.js';
import { UsageError } from './usage-error.js';

/** Throws a UsageError for a file that cannot be read, or is not UTF-8. */
export async function readTextFile(file: string): Promise<string> {
  try {
    return textOf(await readFile(file), file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be read (${errorCode(error)})`);
  }
}

/** Throws a UsageError for bytes that are not UTF-8. */
export async function readStandardInput(): Promise<string> {
  return textOf(await buffer(process.stdin), 'what came on standard input');
}

function textOf(bytes: Uint8Array, name: string): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new UsageError(`${name} ${notUtf8Text(bytes)}`);
  return text;
}
