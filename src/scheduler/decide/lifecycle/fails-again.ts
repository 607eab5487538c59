// Which failures another attempt meets again unless somebody changes something at the push service first (campaigns.md, "Retry many
// sends"). Pure.
import type { SendState } from './send-state.js';

/** Codes of refusals that are about the request itself, or about what its project may do: too large, an unknown name, no permission. */
const REFUSALS: readonly string[] = [
  'BAD_REQUEST',
  'FORBIDDEN',
  'NOT_FOUND',
  'PERMISSION_DENIED',
  'REQUEST_ENTITY_TOO_LARGE',
];
/** Reasons of a breakdown, by which every device of a type refuses this message. */
const REASONS: readonly string[] = ['PAYLOAD_TOO_LARGE', 'PROVIDER_NOT_CONFIGURED'];

interface Failure {
  readonly state: SendState;
  readonly code: string | null;
  readonly detail: string | null;
}

/** The code for which it would fail again; undefined: it may succeed. */
export function failsAgain({ state, code, detail }: Failure): string | undefined {
  if (state === 'rejected') return code !== null && REFUSALS.includes(code) ? code : undefined;
  if (state !== 'failed') return undefined;
  // A breakdown's reasons: "PAYLOAD_TOO_LARGE: 3 devices, UNREGISTERED: 1 device". The first is the most frequent.
  const reason = /^([^:,\s]+): \d/.exec(detail ?? '')?.[1];
  return reason !== undefined && REASONS.includes(reason) ? reason : undefined;
}
