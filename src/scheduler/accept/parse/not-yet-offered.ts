// The one list of features that the contract names and this release does not have yet. An event that asks for it is rejected: no event is
// taken with a member of it ignored. To offer something, delete its line here.

/** A second revision of a campaign that is open. */
export const REVISIONS_OFFERED = false;
