// Stands where no provider is configured: every device fails with the reason, visibly, instead of waiting for ever.
import type { Handover, Provider, ProviderOutcome } from './provider.js';

const REFUSED: ProviderOutcome = { kind: 'failed', reason: 'PROVIDER_NOT_CONFIGURED' };

export class UnconfiguredProvider implements Provider {
  readonly answersCanBeLost = false;

  send(batch: readonly Handover[]): Promise<readonly ProviderOutcome[]> {
    return Promise.resolve(batch.map(() => REFUSED));
  }
}
