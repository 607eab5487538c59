// The one list of what the contract names and this release does not do yet. Such an event is rejected, never taken
// with a part of it ignored. Offering something means deleting its line here.
import { isDeepStrictEqual } from 'node:util';
import { policyDefaults, type Policy } from '../../decide/timing/policy.js';
import { EVENT_TYPES, type AudienceData, type EventKind } from './campaign-event.js';
import { below, reason, type Reason } from './reason.js';

const TYPES: readonly EventKind[] = ['paused', 'resumed'];
/** With what is taken in their place. */
const AUDIENCE_MEMBERS: Partial<Record<keyof AudienceData, string>> = {
  list: 'name the users in to, such as ["user-1"]',
};
/** These may still be given with the value they have by default. */
const POLICY_MEMBERS = {
  approval: 'approval',
  testTo: 'testTo',
} as const satisfies Readonly<Record<string, keyof Policy>>;

/** A second revision of a campaign that is open. */
export const REVISIONS_OFFERED = false;

function refusal(pointer: string, what: string, instead: string): Reason {
  return reason(pointer, 'NOT_YET_OFFERED', `${what} is not offered yet: ${instead}`);
}

/** Those that events may have. */
export const TYPES_OFFERED = (Object.keys(EVENT_TYPES) as EventKind[])
  .filter((kind) => !TYPES.includes(kind))
  .map((kind) => EVENT_TYPES[kind]);

export function typeNotOffered(kind: EventKind): Reason[] {
  return TYPES.includes(kind)
    ? [refusal('/type', EVENT_TYPES[kind], `taken are ${TYPES_OFFERED.join(' and ')}`)]
    : [];
}

export function audienceNotOffered(audience: AudienceData, pointer: string): Reason[] {
  return Object.entries(AUDIENCE_MEMBERS)
    .filter(([name]) => (audience[name as keyof AudienceData] ?? null) !== null)
    .map(([name, instead]) => refusal(below(pointer, name), name, instead));
}

/** Of a policy with every default filled in, wherever its members came from. */
export function policyNotOffered(policy: Policy): Reason[] {
  return Object.entries(POLICY_MEMBERS)
    .filter(([, member]) => !isDeepStrictEqual(policy[member], policyDefaults[member]))
    .map(([name]) =>
      refusal(`/data/policy/${name}`, `policy.${name} other than its default`, 'leave it out'),
    );
}
