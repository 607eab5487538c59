// The provider of tests and demos (push-decisions.md, "Providers"): takes every token but those whose names say otherwise.
// What it took is the delivery row itself, written with the outcome, so its answers cannot be lost.
import { setTimeout as wait } from 'node:timers/promises';
import type { Handover, Provider, ProviderOutcome } from '../provider.js';

const SENT: ProviderOutcome = { kind: 'sent' };
const REJECTED: ProviderOutcome = { kind: 'failed', reason: 'REJECTED' };
const UNREGISTERED: ProviderOutcome = { kind: 'gone', reason: 'UNREGISTERED' };

/** Real milliseconds a batch with a `slow-` token takes. */
const SLOW_MS = 2_000;

export class SandboxProvider implements Provider {
  readonly answersCanBeLost = false;

  async send(batch: readonly Handover[], signal: AbortSignal): Promise<readonly ProviderOutcome[]> {
    if (batch.some(({ token }) => token.startsWith('slow-'))) await wait(SLOW_MS, undefined, { signal });
    return batch.map(({ token }) => {
      if (token.startsWith('fail-')) return REJECTED;
      return token.startsWith('gone-') ? UNREGISTERED : SENT;
    });
  }
}
