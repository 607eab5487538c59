// Makes the body of carillon-push credential add: the file that a provider gives out, with the settings it needs. Reads the file or
// standard input; a secret is never taken from the arguments, which every user of the machine can read.
import type { Body } from './shell/management-client.js';
import { readStandardInput, readTextFile } from './shell/read-text.js';
import { UsageError } from './shell/usage-error.js';

/** The push service checks each member. Throws UsageError for a file that cannot be read. */
export async function credentialOf(kind: string, file: string | undefined, settings: Body): Promise<Body> {
  if (kind !== 'fcm' && kind !== 'apns') throw new UsageError(`the kind is fcm or apns, not ${kind}`);
  const content = await contentOf(file);
  if (kind === 'apns') return { key: content, ...settings };
  try {
    return { serviceAccount: JSON.parse(content) as unknown, ...settings };
  } catch {
    throw new UsageError('that is no JSON: give the key file of a service account, as Google gives it out');
  }
}

async function contentOf(file: string | undefined): Promise<string> {
  if (file !== undefined) return readTextFile(file);
  if (process.stdin.isTTY) throw new UsageError('name the file with --file, or give it on standard input');
  return readStandardInput();
}
