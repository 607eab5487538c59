// Works off retries of many sends, page by page: gathers and asks for previews, makes what was confirmed. Each page is
// a transaction; a process that dies under one is followed by another once its lease ends.
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import { claimRetryBatch } from '../store/retry-batch.store.js';
import { askRetries, type AskParts } from './ask-retries.js';
import { gatherRetries, type GatherParts } from './gather-retries.js';
import { makeRetries, type MakeParts } from './make-retries.js';

export interface WorkParts extends AskParts, GatherParts, MakeParts {
  readonly clock: Clock;
  /** Asks the loop for a round in so many real milliseconds. */
  readonly wakeIn: (ms: number) => void;
}

/** Longer than a page of questions that all time out. */
const LEASE_MS = 120_000;

export class WorkRetries {
  constructor(private readonly parts: WorkParts) {}

  /** One page of one set, of `only` where it is given. Returns how many pages it did. */
  async runOnce(only?: string): Promise<number> {
    const token = v7();
    const batch = await claimRetryBatch(this.parts.database, { token, leaseMs: LEASE_MS, only });
    if (batch === undefined) return 0;
    const page =
      batch.state === 'gathering' ? gatherRetries : batch.state === 'asking' ? askRetries : makeRetries;
    const pauseMs = await page(this.parts, batch, token);
    if (pauseMs !== undefined && pauseMs > 0) this.parts.wakeIn(pauseMs);
    return 1;
  }

  /** Works on one set until it has to wait, or `ms` real milliseconds have passed: small ones end within the request. */
  async advance(id: string, ms: number): Promise<void> {
    const until = this.parts.clock.elapsed() + ms;
    while (this.parts.clock.elapsed() < until) if ((await this.runOnce(id)) === 0) return;
  }
}
