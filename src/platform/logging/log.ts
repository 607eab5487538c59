// Structured logs with pino, and the LoggerService through which Nest logs to it. Never pass secrets or bodies to it.
import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger } from 'pino';
import { traceIdOf, type TraceContext } from '../tracing/trace-context.js';

export type Log = Logger;

/**
 * Whether an error needs no line, because it belongs to an outage that is logged; undefined where it certainly does not. Never
 * rejects.
 */
export type OutageJudge = (error: unknown) => Promise<boolean> | undefined;

const WARN = 40;
const FATAL = 60;
const judges = new WeakMap<Log, OutageJudge>();

/**
 * Writes one JSON line for each event to stdout, or to `to`. `name` distinguishes the two services. A `trace` in a line, a
 * TraceContext, is written as its `traceId`.
 */
export function createLog(name: string, level: string, to?: DestinationStream): Log {
  const log: Log = pino(
    {
      name,
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: errorFields },
      formatters: { log: withTraceId },
      hooks: {
        logMethod(args, method, lineLevel) {
          const judged =
            lineLevel >= WARN && lineLevel < FATAL ? judges.get(log)?.(errorIn(args)) : undefined;
          if (judged === undefined) method.apply(this, args);
          else void judged.then((isLogged) => (isLogged ? this.debug(...args) : method.apply(this, args)));
        },
      },
    },
    to,
  );
  return log;
}

/** From then on, lines whose `err` belongs to an outage have the level debug: the judge logs the outage for the whole process. */
export function leaveOutagesTo(log: Log, judge: OutageJudge): void {
  judges.set(log, judge);
}

/** Whether this error belongs to an outage. For callers that do more than log a line with the error. */
export async function isOutage(log: Log, error: unknown): Promise<boolean> {
  return (await judges.get(log)?.(error)) ?? false;
}

function withTraceId(fields: Record<string, unknown>): Record<string, unknown> {
  if (!('trace' in fields)) return fields;
  const { trace, ...others } = fields as { readonly trace: TraceContext | undefined };
  return trace === undefined ? others : { ...others, traceId: traceIdOf(trace) };
}

function errorIn([fields]: readonly unknown[]): unknown {
  return typeof fields === 'object' && fields !== null && 'err' in fields ? fields.err : undefined;
}

/**
 * The fields of an error in a log line. It is a closed list, because drivers attach anything to their errors (the parameters of a
 * statement, the headers of a request), which may be a secret or the text of a message.
 */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' ? 'not an Error' : error;
  const { code, constraint, cause } = error as { code?: unknown; constraint?: unknown; cause?: unknown };
  return {
    type: error.constructor.name,
    message: error.message,
    ...(code !== undefined && { code }),
    ...(constraint !== undefined && { constraint }),
    stack: error.stack,
    ...(cause !== undefined && { cause: errorFields(cause) }),
  };
}

/** The fields of an error whose message may quote what was to be written: a stranger's text must not come into the log. */
export function faultFields(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return { type: error.constructor.name, code, constraint };
}

/** Writes Nest's own messages one level lower: what the framework says at `log` is a detail to an operator. */
export class NestLog implements LoggerService {
  constructor(private readonly to: Log) {}
  log(message: unknown, context?: string): void {
    this.to.debug({ context }, String(message));
  }
  error(message: unknown, stack?: string, context?: string): void {
    // It is thrown as well, and run-service.ts logs it with what to do.
    const thrown = context === 'NestApplication' && String(message).startsWith('Error: listen ');
    this.to[thrown ? 'debug' : 'error']({ context, stack }, String(message));
  }
  warn(message: unknown, context?: string): void {
    this.to.warn({ context }, String(message));
  }
  debug(message: unknown, context?: string): void {
    this.to.debug({ context }, String(message));
  }
  verbose(message: unknown, context?: string): void {
    this.to.trace({ context }, String(message));
  }
  fatal(message: unknown, context?: string): void {
    this.to.fatal({ context }, String(message));
  }
}
