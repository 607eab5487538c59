// What a plan says beside its cells (planning.md §4, §9): nothing here changes what is sent.
import type { MessageContent } from '../../push-contract/messages.js';
import type { AudienceGroups } from './audience-groups.js';
import type { Campaign } from './campaign.js';
import { leftOver } from './left-over.js';
import { OverlapIndex } from './overlap.js';
import type { AudienceFacts, MinuteLoad, PlannedCell, PlanProblem } from './planned.js';

const AD_LABEL = '(광고)';

export function planWarnings(
  campaign: Campaign,
  facts: AudienceFacts,
  audience: AudienceGroups,
  cells: readonly PlannedCell[],
  load: readonly MinuteLoad[],
): PlanProblem[] {
  const warnings = [...audience.warnings];
  const warn = (code: string, text: string, pointer = ''): void => {
    warnings.push({ code, text, pointer });
  };
  if (audience.groups.every(({ recipients }) => recipients === 0))
    warn('NOBODY', 'the audience is empty: nothing will leave', '/audience');
  if (audience.duplicates > 0) {
    warn(
      'DUPLICATE_IDS',
      `userIds that stand more than once, of which the first counts: ${audience.duplicates}`,
      '/audience/to',
    );
  }
  const invalid = Object.keys(audience.invalidZones);
  if (invalid.length > 0) {
    const named = invalid.slice(0, 5).join(', ');
    const more = invalid.length > 5 ? ` and ${invalid.length - 5} more` : '';
    warn(
      'INVALID_ZONE',
      `no zones of the tz database: ${named}${more}; who is said to live there goes by the fallback`,
    );
  }
  const provisional = facts.provisional ?? 0;
  if (provisional > 0) {
    warn(
      'PROVISIONAL',
      `userIds that were not looked up, so that their zones may still change: ${provisional}`,
      '/audience/to',
    );
  }
  if (facts.censusMissing === true) {
    warn(
      'OFFSETS_NOT_LOOKED_UP',
      'the registered offsets in use are not known: the cells are provisional',
      '/delivery/zone',
    );
  }
  if (cells.some((cell) => cell.skipped === undefined && cell.night.kind === 'consented')) {
    warn(
      'NIGHT_CONSENT_ONLY',
      'the push service will leave out users without night consent',
      '/policy/night',
    );
  }
  const { night, quietHours } = campaign.policy;
  const hasWindows = quietHours !== null || (campaign.messageType === 'AD' && night !== 'consented');
  if (campaign.delivery.kind === 'schedule' && hasWindows) {
    warn(
      'WINDOWS_NOT_KEPT',
      'a standing message fires by its schedule: night and quiet hours cannot be kept',
      '/policy',
    );
  }
  if (cells.some(({ passed, skipped }) => passed.kind === 'next-day' && skipped === 'DEADLINE')) {
    warn(
      'NEXT_DAY_PAST_DEADLINE',
      'passed zones would go the next day, which comes after the deadline: they are skipped',
      '/policy/deadline',
    );
  }
  if (mayShareUsers(campaign)) {
    warn('CHANNELS_MAY_SHARE_USERS', 'a user who is in two of the channels gets both', '/delivery/segments');
  }
  if (campaign.messageType === 'AD' && mayHoldKorea(campaign) && !startsWithAdLabel(campaign)) {
    warn('NO_AD_LABEL', `no text starts with ${AD_LABEL}, which Korea asks of advertising`, '/message');
  }
  const crowded = load.find(({ backlog }) => backlog > 0);
  if (crowded !== undefined) {
    const { requests } = crowded;
    warn('OVER_RATE', `${requests} requests fall on one minute, more than the project's rate lets through`);
  }
  return warnings;
}

function audiences(campaign: Campaign): NonNullable<Campaign['audience']>[] {
  const { audience, delivery } = campaign;
  const segments = delivery.kind === 'recipient' ? (delivery.segments ?? []) : [];
  return [...segments.map((segment) => segment.audience), ...(audience === null ? [] : [audience])];
}

function mayShareUsers(campaign: Campaign): boolean {
  const seen = new OverlapIndex<true>();
  const { audience: own, delivery } = campaign;
  const segments = delivery.kind === 'recipient' ? (delivery.segments ?? []) : [];
  const others = segments.map((segment) => segment.audience);
  const left = own === null || own.type === 'USER' ? [] : leftOver(own, others);
  return [...others, ...left].some((audience) => {
    if (audience.type !== 'CHANNEL') return false;
    // As if each named everybody: then only countries keep them apart.
    const everybody = { ...audience, type: 'ALL' } as const;
    const meets = seen.find(everybody) === true;
    seen.add(everybody, true);
    return meets;
  });
}

function mayHoldKorea(campaign: Campaign): boolean {
  return audiences(campaign).some(({ country }) => country.length === 0 || country.includes('KR'));
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
