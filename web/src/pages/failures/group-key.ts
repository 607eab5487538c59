// The name of a group in the address.
import type { FailureGroup } from '../../api/failures.ts';

/** Stable while the group has sends, whatever their number. */
export const groupKey = ({ state, code, project, campaign, zone, mode }: FailureGroup): string =>
  [state, code, project, campaign, zone, mode].map((part) => part ?? '').join(' ');
