// Both nights of a year on which the clocks of four zones are moved: a wall time that each night makes strange, on the clocks of all
// four. The instants were worked out with Python's zoneinfo, not with our own rules.
import type { Json } from '../../support/scheduler/intake-world.js';
import { recipientAt } from '../../support/scheduler/two-services.js';
import type { Journey } from './preview-cases.js';

/** The publisher says who lives where, by names of PEOPLE. */
const HOMES = {
  'Pacific/Auckland': 'auckland',
  'Europe/Paris': 'paris',
  'Australia/Lord_Howe': 'tokyo',
  'America/New_York': 'york',
} as const;
const SECOND = { policy: { dst: { overlap: 'second' } } };

function night(what: string, at: string, gets: readonly string[], more: Json = {}): Journey {
  const segments = Object.entries(HOMES).map(([zone, user]) => ({
    zone,
    audience: { type: 'USER', to: [user] },
  }));
  return { what, data: { audience: null, delivery: recipientAt(at, { segments }), ...more }, gets };
}

export const DST_NIGHTS: readonly Journey[] = [
  night('New York goes forward', '2027-03-14T02:30', [
    'auckland 03-13 13:30',
    'paris 03-14 01:30',
    'tokyo 03-13 15:30',
    'york 03-14 07:30',
  ]),
  night('Paris goes forward', '2027-03-28T02:30', [
    'auckland 03-27 13:30',
    'paris 03-28 01:30',
    'tokyo 03-27 15:30',
    'york 03-28 06:30',
  ]),
  night('Auckland goes back', '2027-04-04T02:30', [
    'auckland 04-03 13:30',
    'paris 04-04 00:30',
    'tokyo 04-03 16:00',
    'york 04-04 06:30',
  ]),
  night(
    'Auckland goes back, the second counts',
    '2027-04-04T02:30',
    ['auckland 04-03 14:30', 'paris 04-04 00:30', 'tokyo 04-03 16:00', 'york 04-04 06:30'],
    SECOND,
  ),
  night('Lord Howe goes back by half an hour', '2027-04-04T01:45', [
    'auckland 04-03 12:45',
    'paris 04-03 23:45',
    'tokyo 04-03 14:45',
    'york 04-04 05:45',
  ]),
  night('Auckland goes forward', '2027-09-26T02:30', [
    'auckland 09-25 14:30',
    'paris 09-26 00:30',
    'tokyo 09-25 16:00',
    'york 09-26 06:30',
  ]),
  night('Lord Howe goes forward by half an hour', '2027-10-03T02:15', [
    'auckland 10-02 13:15',
    'paris 10-03 00:15',
    'tokyo 10-02 15:45',
    'york 10-03 06:15',
  ]),
  night('Paris goes back', '2027-10-31T02:30', [
    'auckland 10-30 13:30',
    'paris 10-31 00:30',
    'tokyo 10-30 15:30',
    'york 10-31 06:30',
  ]),
  night(
    'Paris goes back, the second counts',
    '2027-10-31T02:30',
    ['auckland 10-30 13:30', 'paris 10-31 01:30', 'tokyo 10-30 15:30', 'york 10-31 06:30'],
    SECOND,
  ),
  night('New York goes back', '2027-11-07T01:30', [
    'auckland 11-06 12:30',
    'paris 11-07 00:30',
    'tokyo 11-06 14:30',
    'york 11-07 05:30',
  ]),
  night(
    'New York goes back, the second counts',
    '2027-11-07T01:30',
    ['auckland 11-06 12:30', 'paris 11-07 00:30', 'tokyo 11-06 14:30', 'york 11-07 06:30'],
    SECOND,
  ),
];
