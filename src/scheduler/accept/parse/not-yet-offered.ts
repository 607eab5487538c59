// The one list of what the contract names and this release does not do yet. Such an event is rejected, never taken
// with a part of it ignored. Offering something means deleting its line here.
import { isDeepStrictEqual } from 'node:util';
import { policyDefaults, type Policy } from '../../decide/timing/policy.js';
import type { AudienceData, EventKind } from './campaign-event.js';
import { below, reason, type Reason } from './reason.js';

const TYPES: readonly EventKind[] = ['paused', 'resumed'];
const AUDIENCE_MEMBERS = ['list'] as const satisfies readonly (keyof AudienceData)[];
/** These may still be given with the value they have by default. */
const POLICY_MEMBERS = {
  approval: 'approval',
  testTo: 'testTo',
} as const satisfies Readonly<Record<string, keyof Policy>>;

/** A second revision of a campaign that is open. */
export const REVISIONS_OFFERED = false;

function refusal(pointer: string, what: string): Reason {
  return reason(pointer, 'NOT_YET_OFFERED', `${what} is not offered yet`);
}

function membersGiven(value: object, members: readonly string[], pointer: string): Reason[] {
  return Object.entries(value)
    .filter(([name, given]) => members.includes(name) && given !== null && given !== undefined)
    .map(([name]) => refusal(below(pointer, name), name));
}

export function typeNotOffered(kind: EventKind): Reason[] {
  return TYPES.includes(kind) ? [refusal('/type', `carillon.campaign.${kind}.v1`)] : [];
}

export function audienceNotOffered(audience: AudienceData, pointer: string): Reason[] {
  return membersGiven(audience, AUDIENCE_MEMBERS, pointer);
}

/** Of a policy with every default filled in, wherever its members came from. */
export function policyNotOffered(policy: Policy): Reason[] {
  return Object.entries(POLICY_MEMBERS)
    .filter(([, member]) => !isDeepStrictEqual(policy[member], policyDefaults[member]))
    .map(([name]) => refusal(`/data/policy/${name}`, `policy.${name} other than its default`));
}
