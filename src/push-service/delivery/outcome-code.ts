// What a provider's outcome means for its device: a code that is recorded, or another try. Pure.
import type { EpochMs } from '../../platform/clock.js';
import type { OutcomeCode } from './outcome.store.js';
import type { Job, Outcome } from './provider-port.js';

export interface OutcomeFacts {
  readonly now: EpochMs;
  readonly notAfter: Job['notAfter'];
  /** How often the provider has refused the chunk's devices for a while. */
  readonly refusals: number;
  /** The process is ending, and another process is to continue at once. */
  readonly isStopping: boolean;
  /** When the provider began to refuse the credential; undefined where nobody knows. */
  readonly faultSince: EpochMs | undefined;
  /** A random number from 0 to 1. */
  readonly random: number;
}

/** final: the code is recorded. again: the device goes again after `afterMs`, real milliseconds; 0: at once. */
export type JudgedOutcome =
  | { readonly kind: 'final'; readonly code: OutcomeCode }
  | { readonly kind: 'again'; readonly afterMs: number };

/** How long devices wait for an operator to correct a refused credential. */
export const CREDENTIAL_PATIENCE_MS = 600_000;
/** The wait between two tries with a refused credential. The adapter's own pause in this process may be longer. */
const CREDENTIAL_WAIT_MS = 30_000;
const LONGEST_BACK_OFF_MS = 32_000;
const SENT: JudgedOutcome = { kind: 'final', code: null };

export function judgeOutcome(outcome: Outcome, facts: OutcomeFacts): JudgedOutcome {
  switch (outcome.kind) {
    case 'sent':
      return SENT;
    case 'failed':
    case 'gone':
      return failed(outcome.reason);
    case 'unknown':
      return { kind: 'final', code: `unknown ${outcome.reason}` };
    case 'retry':
      return inTime(outcome.afterMs > 0 ? outcome.afterMs : backOffMs(facts), outcome.reason, facts);
    case 'credential':
      return ofCredential(facts);
    default:
      return outcome satisfies never;
  }
}

function ofCredential(facts: OutcomeFacts): JudgedOutcome {
  const { now, faultSince = now, isStopping } = facts;
  if (now - faultSince >= CREDENTIAL_PATIENCE_MS) return failed('PROVIDER_CREDENTIAL');
  return inTime(isStopping ? 0 : CREDENTIAL_WAIT_MS, 'PROVIDER_CREDENTIAL', facts);
}

const failed = (reason: string): JudgedOutcome => ({ kind: 'final', code: `failed ${reason}` });

/** A device whose next try would come after its end fails now, with the provider's reason. */
function inTime(afterMs: number, reason: string, { now, notAfter }: OutcomeFacts): JudgedOutcome {
  return notAfter !== undefined && now + afterMs >= notAfter.at
    ? failed(reason)
    : { kind: 'again', afterMs: Math.round(afterMs) };
}

/** 1, 2, 4 … 32 s, give or take a fifth. */
function backOffMs({ refusals, isStopping, random }: OutcomeFacts): number {
  if (isStopping) return 0;
  return Math.min(1_000 * 2 ** refusals, LONGEST_BACK_OFF_MS) * (0.8 + 0.4 * random);
}
