// Structured logs: pino, and the thin LoggerService that lets Nest speak through it. Never given secrets or bodies.
import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';

export type Log = Logger;

/** One JSON line per event on stdout; `name` tells the two services apart. */
export function createLog(name: string, level: string): Log {
  return pino({ name, level, timestamp: pino.stdTimeFunctions.isoTime });
}

/** Nest's own messages, one level down: what the framework says at `log` is detail to an operator. */
export class NestLog implements LoggerService {
  constructor(private readonly to: Log) {}
  log(message: unknown, context?: string): void {
    this.to.debug({ context }, String(message));
  }
  error(message: unknown, stack?: string, context?: string): void {
    this.to.error({ context, stack }, String(message));
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
