// Encrypts secrets at rest with AES-256-GCM under the master key. The sealed text names its key, so that two keys may be active
// while one replaces the other. Never logs, and never keeps what it opened.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { Secret } from '../env.js';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ONE_KEY = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/;

/** A sealed text cannot be opened: its key is not configured, or the text was changed. The message contains no secret. */
export class SealError extends Error {
  readonly code = 'SEAL_UNREADABLE';
}

/** A column of sealed texts, and the columns of the key of its rows, in order, all of type text. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly key: readonly string[];
}

/** Seals under the first key; opens under any key. A text opens only for the column and row for which it was sealed. */
export class Sealer {
  readonly #keys: ReadonlyMap<string, Buffer>;
  /** The id of the key that seals. */
  readonly currentId: string;

  /** `setting` is `id:base64` of 32 bytes, or two such keys separated by a comma, the current one first. Throws RangeError. */
  constructor(setting: Secret) {
    const parsed = parseMasterKeys(setting.reveal());
    if (typeof parsed === 'string') throw new RangeError(parsed);
    this.#keys = new Map(parsed);
    this.currentId = parsed[0]?.[0] ?? '';
  }

  /** Returns `id.base64(nonce, ciphertext, tag)`. Two seals of one plaintext differ. `row`: the values of the column's key. */
  seal(plaintext: string, column: SealedColumn, ...row: readonly string[]): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key(this.currentId), nonce);
    cipher.setAAD(boundTo(this.currentId, column, row));
    const sealed = Buffer.concat([
      nonce,
      cipher.update(plaintext, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    return `${this.currentId}.${sealed.toString('base64')}`;
  }

  /** Throws SealError. */
  open(sealed: string, column: SealedColumn, ...row: readonly string[]): string {
    const dot = sealed.indexOf('.');
    const id = sealed.slice(0, dot);
    const bytes = Buffer.from(sealed.slice(dot + 1), 'base64');
    if (dot < 1 || bytes.length < NONCE_BYTES + TAG_BYTES) throw new SealError('not a sealed text');
    const decipher = createDecipheriv('aes-256-gcm', this.#key(id), bytes.subarray(0, NONCE_BYTES));
    decipher.setAAD(boundTo(id, column, row));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const opened = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([opened, decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new SealError(`a text sealed under the master key ${id} does not open`, { cause });
    }
  }

  /** Whether texts sealed under that key can be opened. */
  holds(id: string): boolean {
    return this.#keys.has(id);
  }

  /** A key of 32 bytes for one purpose from each master key, the current one first (RFC 5869). It reveals nothing of a master key. */
  keysFor(purpose: string): Buffer[] {
    return [...this.#keys.values()].map((key) =>
      Buffer.from(hkdfSync('sha256', key, '', `carillon ${purpose}`, KEY_BYTES)),
    );
  }

  #key(id: string): Buffer {
    const key = this.#keys.get(id);
    if (key === undefined) throw new SealError(`the master key ${id} is not configured`);
    return key;
  }
}

/**
 * A sealed text is bound to its master key, so that it cannot pass as sealed by another key. It is bound to its column and row,
 * so that somebody who may write to the database cannot put the secret of one row into another row.
 */
function boundTo(id: string, { table, column }: SealedColumn, row: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify([id, table, column, ...row]));
}

/** The config schema of CARILLON_MASTER_KEY. */
export const masterKey = z
  .string()
  .superRefine((value, context) => {
    const parsed = parseMasterKeys(value);
    if (typeof parsed === 'string') context.addIssue({ code: 'custom', message: parsed });
  })
  .transform((value) => new Secret(value));

/** A new `id:base64` setting, for a first start. */
export function newMasterKey(id: string): string {
  return `${id}:${randomBytes(KEY_BYTES).toString('base64')}`;
}

/** Returns the keys, or the fault. The fault never quotes the setting. */
function parseMasterKeys(setting: string): [string, Buffer][] | string {
  const matches = setting.split(',').map((key) => ONE_KEY.exec(key.trim()));
  if (matches.length > 2) return 'must hold one key or two';
  const keys: [string, Buffer][] = [];
  for (const match of matches) {
    if (match?.[1] === undefined || match[2] === undefined) {
      return 'must be id:base64 of 32 bytes, or two of them with a comma between';
    }
    keys.push([match[1], Buffer.from(match[2], 'base64')]);
  }
  if (new Set(keys.map(([id]) => id)).size !== keys.length) return 'must not hold two keys of one id';
  return keys;
}
