// The options that name sends: the filters of GET /v1/sends, which sets of retries and resolves take too.
import { OF_SERVICE, type Filter } from '../shell/filters.js';

const filter = (flags: string, parameter: string, text: string): Filter => ({ flags, parameter, text });

/** Without the state: each command says which states it is about. */
export const SEND_FILTERS: readonly Filter[] = [
  OF_SERVICE,
  filter('--campaign <id>', 'campaign', 'of a campaign: our id, or service/campaignId'),
  filter('--occurrence <occurrence>', 'occurrence', 'of a firing of a recurrence, such as 2027-03-01T09:00'),
  filter('--zone <zone>', 'zone', 'of cells in this zone; none: of cells without one'),
  filter('--mode <mode>', 'mode', 'immediate, reserved or scheduled'),
  filter('--code <code>', 'code', 'with this code; none: without one'),
  filter('--http-status <status>', 'httpStatus', 'of the answer to the newest attempt; none: there was none'),
  filter('--request-id <id>', 'requestId', 'of this request at the push service'),
  filter('--due-from <instant>', 'dueFrom', 'due at or after this, such as 2027-03-01T00:00:00Z'),
  filter('--due-to <instant>', 'dueTo', 'due before this'),
  filter('--since <instant>', 'since', 'that came to their state at or after this'),
  filter('--until <instant>', 'until', 'that came to their state before this'),
  filter('--late-over <length>', 'lateOver', 'later than so many milliseconds, or a length such as PT30S'),
];
