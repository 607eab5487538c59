// The only place that reads the process environment, including secrets in files. Also the pure function that makes a typed
// configuration from it. Never logs, because values may be secrets.
import { distance } from 'fastest-levenshtein';
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { z } from 'zod';
import { issueText } from './http/issue-text.js';
import { errorCode } from './logging/error-code.js';
import { decodeUtf8, notUtf8Text } from './utf8.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that may come from a file, as container tools do: `NAME_FILE` names the file, instead of `NAME`. */
const FROM_FILES = [
  'DATABASE_URL',
  'DATABASE_REPORT_URL',
  'DATABASE_PASSWORD',
  'CARILLON_MASTER_KEY',
  'KAFKA_CA',
  'KAFKA_PASSWORD',
  'MANAGEMENT_TOKEN',
  'PUSH_PROVIDER_CA',
  'CARILLON_SECRET_KEY',
  'CARILLON_TOKEN',
  'CARILLON_URL',
];

/** Throws ConfigError for a file that cannot be read. */
export function processEnvironment(env: Environment = process.env): Environment {
  const faults: string[] = [];
  const read = FROM_FILES.flatMap((name): [string, string][] => {
    const file = env[`${name}_FILE`] ?? '';
    if (file === '') return [];
    if ((env[name] ?? '') !== '') {
      faults.push(`${name} and ${name}_FILE are both set: leave one out`);
      return [];
    }
    try {
      const bytes = readFileSync(file);
      const text = decodeUtf8(bytes);
      if (text !== undefined) return [[name, text.replace(/\r?\n$/, '')]];
      faults.push(`${name}_FILE: ${file} ${notUtf8Text(bytes)}`);
      return [];
    } catch (error) {
      faults.push(`${name}_FILE: ${file} cannot be read (${errorCode(error)})`);
      return [];
    }
  });
  if (faults.length > 0) throw new ConfigError(faults);
  return { ...env, ...Object.fromEntries(read) };
}

/** All faults of a configuration at once. Thrown only at the start. Its message names variables, never values. */
export class ConfigError extends Error {
  readonly code = 'CONFIG_INVALID';
  constructor(readonly faults: readonly string[]) {
    super(`the configuration is not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

const DATABASE_URLS = new Set(['DATABASE_URL', 'DATABASE_REPORT_URL']);

/** Reads `env` by `schema`, whose keys are the variables' names. An empty variable counts as not set. Throws ConfigError. */
export function readConfig<Schema extends z.ZodObject>(schema: Schema, env: Environment): z.output<Schema> {
  const names = Object.keys(schema.shape);
  const given: Record<string, string> = {};
  for (const name of names) {
    const value = env[name] ?? '';
    if (value !== '')
      given[name] = DATABASE_URLS.has(name) ? withPassword(value, env['DATABASE_PASSWORD'] ?? '') : value;
  }
  const misspelt = misspeltOf(names, env);
  const parsed = schema.safeParse(given);
  if (parsed.success && misspelt.length === 0) return parsed.data;
  const faults = (parsed.error?.issues ?? []).map((issue) => {
    const name = String(issue.path[0] ?? '');
    return given[name] === undefined ? `${name} is required` : `${name}: ${issueText(issue)}`;
  });
  throw new ConfigError([...faults, ...misspelt]);
}

/** One letter wrong, missing or too many, or two letters exchanged. */
function isSlip(given: string, name: string): boolean {
  const letters = (word: string): string => word.split('').toSorted().join('');
  const apart = distance(given, name);
  return apart === 1 || (apart === 2 && letters(given) === letters(name));
}

/**
 * Names variables that look like a misspelt setting: otherwise the default would silently be used. Ignores all other variables,
 * because they belong to others, for example to the other service.
 */
function misspeltOf(names: readonly string[], env: Environment): string[] {
  const known = new Set(names.flatMap((name) => [name, `${name}_FILE`]));
  return Object.keys(env).flatMap((given) => {
    if (known.has(given) || !/^[A-Z]+_/.test(given)) return [];
    const meant = names.find((name) => isSlip(given, name));
    return meant === undefined ? [] : [`${given}: there is no such setting; ${meant}?`];
  });
}

/** Puts the password into the URL, percent-encoded. A text that is no URL stays as it is: its own check refuses it. */
function withPassword(given: string, password: string): string {
  if (password === '' || !URL.canParse(given)) return given;
  const url = new URL(given);
  url.password = encodeURIComponent(password);
  return url.href;
}

/** A value that prints as [redacted] wherever it is logged, inspected or serialised. Only `reveal()` returns it. */
export class Secret {
  readonly #value: string;
  constructor(value: string) {
    this.#value = value;
  }
  reveal(): string {
    return this.#value;
  }
  toString(): string {
    return '[redacted]';
  }
  toJSON(): string {
    return '[redacted]';
  }
  [inspect.custom](): string {
    return '[redacted]';
  }
}

/** A whole number from `low` to `high`; any other value gets the same message. */
export function wholeNumber(low: number, high: number) {
  const error = `must be a whole number from ${low} to ${high}`;
  return z.coerce.number({ error }).int({ error }).min(low, { error, abort: true }).max(high, { error });
}

/** The URL of a PostgreSQL database. It may contain a password. */
export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, { error: 'must begin with postgresql://', abort: true })
  .refine(
    (value) => URL.canParse(value),
    'is no URL; a password may stand in DATABASE_PASSWORD as it is, or here with its special characters percent-encoded',
  )
  .transform((value) => new Secret(value));

/** Host, port and database of a URL, for people; never user and password. */
export function databasePlace(url: string): string {
  if (!URL.canParse(url)) return 'no URL';
  const { host, pathname, searchParams } = new URL(url);
  return `${host === '' ? (searchParams.get('host') ?? 'the local socket') : host}${pathname}`;
}

/** A TCP port; 0 asks the system for a free one. */
export const port = wholeNumber(0, 65_535);

export const secret = z
  .string()
  .min(1)
  .transform((value) => new Secret(value));

export const commaList = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
