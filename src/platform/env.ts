// The one place that reads the process environment, and the pure function that turns it into a typed config.
// It never logs: values may be secrets.
import { inspect } from 'node:util';
import { z } from 'zod';

export type Environment = Readonly<Record<string, string | undefined>>;

export function processEnvironment(): Environment {
  return process.env;
}

/** Every fault of a configuration at once. Thrown at start-up only; its message names variables, never values. */
export class ConfigError extends Error {
  readonly code = 'CONFIG_INVALID';
  constructor(readonly faults: readonly string[]) {
    super(`the configuration is not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/** Reads `env` by `schema`, whose keys are the variables' names. An empty variable counts as not set. Throws ConfigError. */
export function readConfig<Schema extends z.ZodObject>(schema: Schema, env: Environment): z.output<Schema> {
  const given = Object.fromEntries(
    Object.keys(schema.shape)
      .map((name) => [name, env[name]] as const)
      .filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues.map((issue) => {
      const name = String(issue.path[0] ?? '');
      return given[name] === undefined ? `${name} is required` : `${name}: ${issue.message}`;
    }),
  );
}

/** A value that prints as [redacted] wherever it is logged, inspected or serialised; `reveal()` is the only way in. */
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

/** A number from `low` to `high`; every fault of it is one sentence that says so. */
export function wholeNumber(low: number, high: number) {
  const error = `must be a whole number from ${low} to ${high}`;
  return z.coerce.number({ error }).int({ error }).min(low, { error, abort: true }).max(high, { error });
}

/** The URL of a PostgreSQL database; it may hold a password. */
export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must begin with postgresql://')
  .transform((value) => new Secret(value));

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
