// The names of a campaign that only its gateway knows: channels, and the schedule that it is attached to. One that the gateway
// does not know is warned of (campaign-events.md, "Warnings"); it changes nothing that is sent. Pure.
import type { Campaign } from '../plan/campaign.js';

export const GATEWAY_NAME_KINDS = ['channel', 'schedule'] as const;

export interface GatewayName {
  readonly kind: (typeof GATEWAY_NAME_KINDS)[number];
  readonly name: string;
}

/** Asked for of one campaign: each may cost a call. Of a thousand channels the first ones say whether the list is a wrong one. */
const MOST_NAMES = 10;

/** How long a campaign may wait for the answers: it is planned without them then. */
export const NAMES_WAIT_MS = 3_000;
/** How long an answer is believed. What is missing may be made at any time; no answer is not waited for again at once. */
export const KNOWN_MS = 3_600_000;
export const NOT_KNOWN_MS = 60_000;

type Placed = GatewayName & { readonly pointer: string };

/** Each once. */
export function gatewayNames(campaign: Pick<Campaign, 'audience' | 'delivery'>): readonly Placed[] {
  const { audience, delivery } = campaign;
  const segments = delivery.kind === 'recipient' ? (delivery.segments ?? []) : [];
  const places = [
    { audience, pointer: '/audience' },
    ...segments.map((segment, index) => ({
      audience: segment.audience,
      pointer: `/delivery/segments/${index}/audience`,
    })),
  ];
  const names = new Map<string, Placed>();
  if (delivery.kind === 'schedule') {
    const { scheduleCode: name } = delivery;
    names.set('', { kind: 'schedule', name, pointer: '/delivery/scheduleCode' });
  }
  for (const { audience: one, pointer } of places) {
    if (one?.type !== 'CHANNEL') continue;
    for (const [index, name] of one.to.entries()) {
      if (names.size >= MOST_NAMES) return [...names.values()];
      if (!names.has(name)) names.set(name, { kind: 'channel', name, pointer: `${pointer}/to/${index}` });
    }
  }
  return [...names.values()];
}
