// The options that name campaigns, and cells of a campaign's plan.
import { OF_SERVICE, type Filter } from '../shell/filters.js';

export const CAMPAIGN_FILTERS: readonly Filter[] = [
  OF_SERVICE,
  { flags: '--like <text>', text: 'whose id or name has this in it', parameter: 'q' },
  { flags: '--tag <tag>', text: 'with this tag', parameter: 'tag' },
  { flags: '--state <states>', text: 'in one of these states, with commas', parameter: 'state' },
  { flags: '--due-from <instant>', text: 'with something due at or after this', parameter: 'dueFrom' },
  { flags: '--due-to <instant>', text: 'with something due before this', parameter: 'dueTo' },
];

export const PLAN_FILTERS: readonly Filter[] = [
  {
    flags: '--occurrence <occurrence>',
    text: 'of this firing of a recurrence, such as 2027-03-01T09:00',
    parameter: 'occurrence',
  },
  { flags: '--zone <zone>', text: 'of this zone', parameter: 'zone' },
  { flags: '--state <states>', text: 'with a newest send in one of these states', parameter: 'state' },
];
