// What a revision changes in a campaign that is under way (planning.md §7): what differs between two versions of its data, and
// whether an occurrence takes the new one. Pure; store/send/revise.store.ts compares chunk by chunk.
import { segmentsOf, type Campaign } from '../plan/campaign.js';
import { stableJson } from '../plan/plan-hash.js';

export const REVISION_STATES = [
  'planning',
  'awaiting-approval',
  'in-force',
  'rejected',
  'superseded',
] as const;

/** The code of sends that a revision took back or replaced. */
export const REVISED = 'REVISED';
/** The code of sends that other zone rules moved, and of a campaign that they could not move. */
export const ZONE_RULES = 'ZONE_RULES';
/** Why a revision is rejected that would give another audience to an occurrence that has begun to go out. */
export const AUDIENCE_FIXED = 'AUDIENCE_FIXED';

export interface RevisionChange {
  /** Audience, segments or split: who gets it, in which requests. */
  readonly audience: boolean;
  /** What they read: only then another test is sent. */
  readonly message: boolean;
  /** What every send carries whatever its due: message, messageType, `until`, and the policies that are judged at hand-off. */
  readonly content: boolean;
}

export function revisionChange(before: Campaign, after: Campaign): RevisionChange {
  return {
    audience: differ(before, after, audienceOf),
    message: differ(before, after, messageOf),
    content: differ(before, after, contentOf),
  };
}

/**
 * Whether the recipients stay in the cells and chunks in which they were planned: the same audience of user ids, for one firing, on
 * the same kind of clock. Then the revision asks nobody for zones, and a chunk that has not left keeps its ids.
 */
export function keepsPlaces(before: Campaign, after: Campaign): boolean {
  if (recurs(before) || recurs(after) || after.planHash !== undefined) return false;
  const audiences = [after.audience, ...segmentsOf(after.delivery).map(({ audience }) => audience)];
  const areIds = audiences.every((audience) => audience === null || audience.type === 'USER');
  return areIds && !differ(before, after, clockOf) && !differ(before, after, audienceOf);
}

export function recurs({ delivery }: Campaign): boolean {
  return 'recurrence' in delivery && delivery.recurrence !== undefined;
}

/** An occurrence that a revision would change. */
export interface RevisedOccurrence {
  /** A send of it is gone: nobody can take it back. */
  readonly begun: boolean;
  /** Some of its chunks would have other recipients than before, appear or go. */
  readonly moves: boolean;
}

/**
 * `takes`: its sends that have not gone are replaced. `keeps`: an occurrence of a recurrence that began keeps its revision. `fixed`:
 * a part of its audience has it, so nobody could say who else may get it.
 */
export function judgeRevised(
  { begun, moves }: RevisedOccurrence,
  change: Pick<RevisionChange, 'audience'> & { readonly recurs: boolean },
): 'takes' | 'keeps' | 'fixed' {
  if (!begun) return 'takes';
  if (change.recurs) return 'keeps';
  return moves || change.audience ? 'fixed' : 'takes';
}

export const FIXED_TEXT =
  'a part of its audience has it, or may have it: audience, segments, split and the kind of clock stay as they are. ' +
  'Change message, time or policy alone, or cancel it and use another campaignId';

/** Whose clock it goes by. */
function clockOf({ delivery }: Campaign): unknown {
  return delivery.kind === 'recipient'
    ? 'recipient'
    : delivery.kind === 'wall'
      ? ['wall', delivery.zone]
      : 'project';
}

function messageOf({ messageType, message }: Campaign): unknown {
  return [messageType, message];
}

function audienceOf({ audience, delivery, policy }: Campaign): unknown {
  return [audience, segmentsOf(delivery), policy.split];
}

function contentOf(campaign: Campaign): unknown {
  const { delivery, policy } = campaign;
  const { night, quietHours, deadline, lateness, handoff } = policy;
  const until = delivery.kind === 'schedule' ? (delivery.until ?? null) : null;
  return [
    messageOf(campaign),
    delivery.kind === 'schedule',
    until,
    night,
    quietHours,
    deadline,
    lateness,
    handoff,
  ];
}

function differ(before: Campaign, after: Campaign, of: (campaign: Campaign) => unknown): boolean {
  return stableJson(of(before)) !== stableJson(of(after));
}
