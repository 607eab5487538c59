// The names in a campaign that only its gateway knows: channels, and the schedule that it is attached to. For a name that the
// gateway does not know there is a warning (warnings.md, "Warnings"); what is sent does not change. Pure.
import { segmentsOf, type Campaign } from '../plan/campaign.js';
import { shown } from '../quote-value.js';

export interface GatewayName {
  readonly kind: 'channel' | 'schedule';
  readonly name: string;
}

/**
 * The most names asked about for one campaign: each may cost a call. The first few of a thousand channels show whether the list
 * is wrong.
 */
const MOST_NAMES = 10;

/** How long a campaign may wait for the answers; after that it is planned without them. */
export const NAMES_WAIT_MS = 3_000;
/**
 * How long an answer about a name counts, also that it is unknown: a missing name may be created at any time. A call without an answer
 * is not repeated sooner either.
 */
export const KNOWN_MS = 3_600_000;
export const NOT_KNOWN_MS = 60_000;

type Placed = GatewayName & { readonly pointer: string };

/** The first names of a campaign, each once. */
export function gatewayNames(campaign: Pick<Campaign, 'audience' | 'delivery'>): readonly Placed[] {
  const { audience, delivery } = campaign;
  const places = [
    { audience, pointer: '/audience' },
    ...segmentsOf(delivery).map((segment, index) => ({
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

/** Warnings for the names that the gateway said it does not know. */
export function nameWarnings(
  campaign: Pick<Campaign, 'audience' | 'delivery'>,
  unknown: readonly GatewayName[] = [],
): { code: 'UNKNOWN_CHANNEL' | 'UNKNOWN_SCHEDULE_CODE'; text: string; pointer: string }[] {
  return gatewayNames(campaign)
    .filter(({ kind, name }) => unknown.some((one) => one.kind === kind && one.name === name))
    .map(({ kind, name, pointer }) => {
      const consequence = kind === 'channel' ? ': nobody gets it there' : ', and will refuse the message';
      return {
        code: kind === 'channel' ? 'UNKNOWN_CHANNEL' : 'UNKNOWN_SCHEDULE_CODE',
        text: `the push service knows no ${kind} ${shown(name)}${consequence}, unless it is made before`,
        pointer,
      };
    });
}
