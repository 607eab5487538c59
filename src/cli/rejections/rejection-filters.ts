// The options that name rejections.
import { OF_SERVICE, SINCE_UNTIL, type Filter } from '../shell/filters.js';

export const REJECTION_FILTERS: readonly Filter[] = [
  OF_SERVICE,
  { flags: '--state <state>', text: 'open, replayed or discarded', parameter: 'state' },
  { flags: '--code <code>', text: 'refused for this reason', parameter: 'code' },
  { flags: '--via <transport>', text: 'that came by kafka or http', parameter: 'via' },
  ...SINCE_UNTIL,
];
