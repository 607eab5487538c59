// The warnings of a plan (planning.md §4, §9). They change nothing that is sent.
import type { MessageContent } from '../../../push-contract/messages.js';
import type { AudienceGroups } from '../audience/audience-groups.js';
import { nameWarnings } from '../audience/gateway-names.js';
import { OverlapIndex } from '../audience/audience-overlap.js';
import { subtractSegments } from '../audience/subtract-segments.js';
import { segmentsOf, type Campaign } from './campaign.js';
import { messageWarnings } from './message-warnings.js';
import type { AudienceFacts, MinuteLoad, PlanInput, PlannedCell, PlanWarning } from './plan-types.js';

const AD_LABEL = '(광고)';

/** A warning to give where `holds` is true. */
type Check = readonly [holds: boolean, code: PlanWarning['code'], text: string, pointer?: string];

export function planWarnings(
  { campaign, audience: facts }: Pick<PlanInput, 'campaign' | 'audience'>,
  audience: AudienceGroups,
  cells: readonly PlannedCell[],
  load: readonly MinuteLoad[],
): PlanWarning[] {
  const { night, quietHours } = campaign.policy;
  const hasWindows = quietHours !== null || (campaign.messageType === 'AD' && night !== 'consented');
  const crowded = load.find(({ backlog }) => backlog > 0);
  const checks: Check[] = [
    ...audienceChecks(audience, facts),
    [
      cells.some(fallsOnNight),
      'NIGHT_CONSENT_ONLY',
      'the push service will leave out users without night consent',
      '/policy/night',
    ],
    [
      campaign.delivery.kind === 'schedule' && hasWindows,
      'WINDOWS_NOT_KEPT',
      'a standing message fires by its schedule: night and quiet hours cannot be kept',
      '/policy',
    ],
    [
      cells.some(({ passed, skipped }) => passed.kind === 'next-day' && skipped === 'DEADLINE'),
      'NEXT_DAY_PAST_DEADLINE',
      'passed zones would go the next day, which comes after the deadline: they are skipped',
      '/policy/deadline',
    ],
    [
      mayShareUsers(campaign),
      'CHANNELS_MAY_SHARE_USERS',
      'a user who is in two of the channels gets both',
      '/delivery/segments',
    ],
    [
      campaign.messageType === 'AD' && mayReachKorea(campaign) && !startsWithAdLabel(campaign),
      'NO_AD_LABEL',
      `no text starts with ${AD_LABEL}, which Korea asks of advertising`,
      '/message',
    ],
    [
      crowded !== undefined,
      'OVER_RATE',
      `${crowded?.requests} requests fall on one minute, more than the project's rate lets through`,
    ],
    [
      campaign.invalidTraceparent !== undefined,
      'INVALID_TRACEPARENT',
      `the attribute traceparent, ${campaign.invalidTraceparent}, is none of W3C Trace Context: it counts as none`,
    ],
  ];
  const found = checks.filter(([holds]) => holds);
  return [
    ...audience.warnings,
    ...found.map(([, code, text, pointer = '']) => ({ code, text, pointer })),
    ...messageWarnings(campaign),
    ...nameWarnings(campaign, facts.unknownNames),
  ];
}

function fallsOnNight({ skipped, night, nightRequests = 0 }: PlannedCell): boolean {
  return skipped === undefined && (night.kind === 'consented' || nightRequests > 0);
}

/** Warns where no request of the whole plan leaves: the reasons, with the number of cells that each holds back. */
export function nothingWillLeave(
  cells: readonly PlannedCell[],
  { provisional = 0, lookUps = 0, censusMissing = false }: AudienceFacts,
): PlanWarning {
  const counts = new Map<string, number>();
  for (const { skipped, expired } of cells) {
    const why = skipped ?? (expired === undefined ? undefined : 'LATE');
    if (why !== undefined) counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  const reasons = [...counts].map(([code, count]) => `${code} (cells: ${count})`).join(', ');
  const why = reasons === '' ? 'there is nobody, or no time, to send it to' : reasons;
  const known =
    lookUps > 0 && (provisional > 0 || censusMissing)
      ? 'by the zones that are known now, nothing'
      : 'nothing';
  return { code: 'NOTHING_WILL_LEAVE', text: `${known} will leave: ${why}`, pointer: '' };
}

/** Warnings about unknown zones come first: all that follows depends on the zones. */
const ABOUT_ZONES: readonly string[] = ['PROVISIONAL', 'NOT_LOOKED_UP', 'OFFSETS_NOT_LOOKED_UP'];

export function inOrderOfWeight(warnings: readonly PlanWarning[]): PlanWarning[] {
  const weight = ({ code }: PlanWarning): number =>
    ABOUT_ZONES.includes(code) ? 0 : code === 'NOTHING_WILL_LEAVE' ? 1 : 2;
  return warnings.toSorted((a, b) => weight(a) - weight(b));
}

function audienceChecks(
  { groups, duplicates, invalidZones }: AudienceGroups,
  { provisional = 0, lookUps = 0, censusMissing = false, unknownUsers = 0 }: AudienceFacts,
): Check[] {
  const later = Math.min(provisional, lookUps);
  const invalid = Object.keys(invalidZones);
  const named = invalid.slice(0, 5).join(', ');
  const more = invalid.length > 5 ? ` and ${invalid.length - 5} more` : '';
  return [
    [
      later > 0,
      'PROVISIONAL',
      `userIds whose zones are not known yet, and are shown by the project's default zone until planning looks them up: ${later}`,
      '/audience/to',
    ],
    [
      provisional > later,
      'NOT_LOOKED_UP',
      `userIds whose zones nobody looks up, and who go by the project's default zone: ${provisional - later}`,
      '/audience/to',
    ],
    [
      censusMissing,
      'OFFSETS_NOT_LOOKED_UP',
      lookUps > 0
        ? 'the registered offsets in use are not known yet: planning asks for them, and the cells may change'
        : "the registered offsets in use are not known: countries and the project's default zone count",
      '/delivery/zone',
    ],
    [
      unknownUsers > 0,
      'UNKNOWN_USERS',
      `userIds that the push service does not know, so that nobody gets it there unless they register before: ${unknownUsers}`,
      '/audience/to',
    ],
    [
      groups.every(({ recipients }) => recipients === 0),
      'NOBODY',
      'the audience is empty: nothing will leave',
      '/audience',
    ],
    [
      duplicates > 0,
      'DUPLICATE_IDS',
      `userIds that stand more than once, of which the first counts: ${duplicates}`,
      '/audience/to',
    ],
    [
      invalid.length > 0,
      'INVALID_ZONE',
      `no zones of the tz database: ${named}${more}; who is said to live there goes by the fallback`,
    ],
  ];
}

function mayShareUsers({ audience: own, delivery }: Campaign): boolean {
  const seen = new OverlapIndex<true>();
  const segments = segmentsOf(delivery).map(({ audience }) => audience);
  const left = own === null || own.type === 'USER' ? [] : subtractSegments(own, segments);
  return [...segments, ...left].some((audience) => {
    if (audience.type !== 'CHANNEL') return false;
    // Compared as if each named everybody, so that only countries separate them.
    const everybody = { ...audience, type: 'ALL' } as const;
    const meets = seen.find(everybody) === true;
    seen.add(everybody, true);
    return meets;
  });
}

function mayReachKorea({ audience, delivery }: Campaign): boolean {
  return [...segmentsOf(delivery).map((segment) => segment.audience), audience].some(
    (one) => one !== null && (one.country.length === 0 || one.country.includes('KR')),
  );
}

function startsWithAdLabel({ message }: Campaign): boolean {
  const textsOf = (content: MessageContent | null | undefined): (string | null | undefined)[] => [
    content?.content,
    ...Object.values(content?.i18n ?? {}).map((language) => language.content),
  ];
  return [message.default, message.gcm, message.apns, { i18n: message.i18n ?? null }]
    .flatMap(textsOf)
    .some((text) => text?.startsWith(AD_LABEL) === true);
}
