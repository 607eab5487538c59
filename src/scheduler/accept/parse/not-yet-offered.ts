// The one list of features that the contract names and this release does not have yet. An event that asks for it is rejected: no event is
// taken with a member of it ignored. To offer something, delete its line here.
import type { AudienceData } from './campaign-event.js';
import { reason, type Reason } from './reason.js';

/** Members of an audience that are not offered, each with what to give in its place. */
const AUDIENCE_MEMBERS = {
  list: 'name the users in to, such as ["user-1"]',
} as const satisfies Partial<Record<keyof AudienceData, string>>;

/** A second revision of a campaign that is open. */
export const REVISIONS_OFFERED = false;

function refusal(pointer: string, what: string, instead: string): Reason {
  return reason(pointer, 'NOT_YET_OFFERED', `${what} is not offered yet: ${instead}`);
}

export function audienceNotOffered(audience: AudienceData, pointer: string): Reason[] {
  return (Object.keys(AUDIENCE_MEMBERS) as (keyof typeof AUDIENCE_MEMBERS)[])
    .filter((name) => (audience[name] ?? null) !== null)
    .map((name) => refusal(`${pointer}/${name}`, name, AUDIENCE_MEMBERS[name]));
}
