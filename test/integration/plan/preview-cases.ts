/* oxlint-disable unicorn/no-thenable -- the contract names a member "then"; no promise meets it */
// The journeys of preview.spec: what is asked for on Monday 2027-03-01 at 00:00 UTC, and which people's devices get it
// when, worked out by hand from planning.md §2 and §4. Seoul's clock shows 09:00 then, Auckland's 13:00, New York's 19:00.
import type { Json } from '../../support/scheduler/intake-world.js';
import { recipientAt } from '../../support/scheduler/two-services.js';

interface Person {
  readonly userId: string;
  readonly country: string;
  readonly hours: number;
  readonly deviceType?: 'APNS';
  /** In the one channel there is, unless it says false. */
  readonly vip?: false;
  readonly nightAd?: false;
  readonly agrees?: false;
}

/** Registered at the push service, each with one device. */
export const PEOPLE: readonly Person[] = [
  { userId: 'seoul', country: 'KR', hours: 9 },
  { userId: 'busan', country: 'KR', hours: 9, deviceType: 'APNS', nightAd: false },
  { userId: 'tokyo', country: 'JP', hours: 9 },
  { userId: 'paris', country: 'FR', hours: 1, deviceType: 'APNS' },
  { userId: 'york', country: 'US', hours: -5 },
  { userId: 'auckland', country: 'NZ', hours: 13, vip: false },
  { userId: 'silent', country: 'KR', hours: 9, agrees: false },
];

export interface Journey {
  readonly what: string;
  readonly data: Json;
  readonly project?: Json;
  /** The same is planned and cancelled first, so that what a preview does not look up is known. */
  readonly lookedUp?: true;
  /** Instants to stop at, beside those the preview names. */
  readonly stops?: readonly string[];
  /** Planning refuses it with this code: nothing is asked for. */
  readonly refused?: string;
  /** `who MM-DD HH:mm[:ss]`, in UTC, in order of name. */
  readonly gets: readonly string[];
}

const users = (...to: string[]): Json => ({ type: 'USER', to });
const everywhere = ['busan', 'paris', 'seoul', 'tokyo', 'york'];
const allAt = (at: string, who = everywhere): string[] => who.map((name) => `${name} ${at}`);

/** Segments by zone; the publisher knows who lives where. */
const living = (at: string, where: Readonly<Record<string, string[]>>, more: Json = {}): Json => ({
  audience: null,
  delivery: recipientAt(at, {
    segments: Object.entries(where).map(([zone, to]) => ({ zone, audience: users(...to) })),
    ...more,
  }),
});
const vip = (...country: string[]): Json => ({
  type: 'CHANNEL',
  to: ['vip'],
  ...(country.length > 0 && { country }),
});
const seoulAt = (at: string, more: Json = {}): Json => ({ delivery: { at, zone: 'Asia/Seoul', ...more } });
const PASSED = { 'Asia/Seoul': ['seoul'], 'Pacific/Auckland': ['auckland'] };

export const JOURNEYS: readonly Journey[] = [
  {
    what: 'a reservation on every recipient clock, two ids to a request',
    data: living('2027-03-01T18:00', {
      'Asia/Seoul': ['seoul', 'busan', 'tokyo'],
      'Europe/Paris': ['paris'],
      'America/New_York': ['york'],
    }),
    gets: [
      'busan 03-01 09:00',
      'paris 03-01 17:00',
      'seoul 03-01 09:00',
      'tokyo 03-01 09:00',
      'york 03-01 23:00',
    ],
  },
  {
    what: 'an id in two segments goes by the first, and a zone that is none by the fallback',
    data: living('2027-03-01T18:00', {
      'Europe/Paris': ['paris', 'tokyo'],
      'Asia/Seoul': ['seoul', 'paris'],
      'Mars/Base': ['york'],
    }),
    gets: ['paris 03-01 17:00', 'seoul 03-01 09:00', 'tokyo 03-01 17:00', 'york 03-01 09:00'],
  },
  {
    what: 'a passed zone skipped',
    data: living('2027-03-01T10:00', PASSED),
    gets: ['seoul 03-01 01:00'],
  },
  {
    what: 'a passed zone sent now',
    data: { ...living('2027-03-01T10:00', PASSED), policy: { passedZone: 'send-now' } },
    gets: ['auckland 03-01 00:00', 'seoul 03-01 01:00'],
  },
  {
    what: 'a passed zone the next day',
    data: { ...living('2027-03-01T10:00', PASSED), policy: { passedZone: 'next-day' } },
    gets: ['auckland 03-01 21:00', 'seoul 03-01 01:00'],
  },
  {
    what: 'a passed zone on a floor',
    data: { ...living('2027-03-01T10:00', PASSED), policy: { passedZone: 'floor:Europe/London' } },
    gets: ['auckland 03-01 10:00', 'seoul 03-01 01:00'],
  },
  {
    what: 'a passed zone on a floor that is past too',
    data: { ...living('2027-03-01T10:00', PASSED), policy: { passedZone: 'floor:Pacific/Fiji' } },
    gets: ['seoul 03-01 01:00'],
  },
  {
    what: 'a passed zone rejected, and with it the campaign',
    data: { ...living('2027-03-01T10:00', PASSED), policy: { passedZone: 'reject' } },
    refused: 'PASSED_ZONE',
    gets: [],
  },
  {
    what: 'reject where no zone has passed',
    data: { ...living('2027-03-01T14:00', PASSED), policy: { passedZone: 'reject' } },
    gets: ['auckland 03-01 01:00', 'seoul 03-01 05:00'],
  },
  {
    what: 'a channel by country, one of them of several zones by its principal one, one by none',
    data: { audience: vip('KR', 'JP', 'FR', 'US'), delivery: recipientAt('2027-03-02T09:00') },
    project: { principalZones: { US: 'America/New_York' } },
    gets: [
      'busan 03-02 00:00',
      'paris 03-02 08:00',
      'seoul 03-02 00:00',
      'tokyo 03-02 00:00',
      'york 03-02 14:00',
    ],
  },
  {
    what: 'everybody of a country whose clocks differ, by the project’s default zone',
    data: { audience: { type: 'ALL', country: ['NZ', 'FR'] }, delivery: recipientAt('2027-03-02T09:00') },
    project: { defaultZone: 'Pacific/Auckland' },
    gets: ['auckland 03-01 20:00', 'paris 03-02 08:00'],
  },
  {
    what: 'users by the offset they registered, and by the fallback who registered none',
    data: {
      audience: users('seoul', 'paris', 'york', 'nobody'),
      delivery: recipientAt('2027-03-01T18:00'),
    },
    lookedUp: true,
    gets: ['paris 03-01 17:00', 'seoul 03-01 09:00', 'york 03-01 23:00'],
  },
  {
    what: 'a channel by registered offsets',
    data: { audience: vip(), delivery: recipientAt('2027-03-01T18:00') },
    project: { extensions: ['target-timezone'] },
    lookedUp: true,
    gets: [
      'busan 03-01 09:00',
      'paris 03-01 17:00',
      'seoul 03-01 09:00',
      'tokyo 03-01 09:00',
      'york 03-01 23:00',
    ],
  },
  {
    what: 'everybody by registered offsets, one kind of phone, night deferred',
    data: {
      messageType: 'AD',
      audience: { type: 'ALL', deviceType: 'GCM' },
      delivery: recipientAt('2027-03-01T21:30'),
      policy: { night: 'defer' },
    },
    project: { extensions: ['target-timezone'] },
    lookedUp: true,
    gets: ['auckland 03-01 19:00', 'seoul 03-01 23:00', 'tokyo 03-01 23:00', 'york 03-02 13:00'],
  },
  {
    what: 'a segment that takes a country out of the channel',
    data: {
      audience: vip('KR', 'JP', 'FR'),
      delivery: recipientAt('2027-03-02T09:00', {
        segments: [{ zone: 'America/New_York', audience: vip('JP') }],
      }),
    },
    gets: ['busan 03-02 00:00', 'paris 03-02 08:00', 'seoul 03-02 00:00', 'tokyo 03-02 14:00'],
  },
  {
    what: 'a split by device and country',
    data: {
      audience: { type: 'ALL', country: ['KR', 'JP'] },
      ...seoulAt('2027-03-02T09:00'),
      policy: { split: ['deviceType', 'country'] },
    },
    gets: allAt('03-02 00:00', ['busan', 'seoul', 'tokyo']),
  },
  {
    what: 'a split of users by device, on each clock',
    data: {
      ...living('2027-03-01T18:00', { 'Asia/Seoul': ['seoul', 'busan', 'tokyo'], 'Europe/Paris': ['paris'] }),
      policy: { split: ['deviceType'] },
    },
    gets: ['busan 03-01 09:00', 'paris 03-01 17:00', 'seoul 03-01 09:00', 'tokyo 03-01 09:00'],
  },
  {
    what: 'a night deferred to 08:00 on the recipient’s clock',
    data: {
      messageType: 'AD',
      ...living('2027-03-01T22:00', { 'Asia/Seoul': ['seoul', 'busan'], 'Europe/Paris': ['paris'] }),
      policy: { night: 'defer' },
    },
    gets: ['busan 03-01 23:00', 'paris 03-02 07:00', 'seoul 03-01 23:00'],
  },
  {
    what: 'a night with consent: who gave none for the night is left out by the push service',
    data: { messageType: 'AD', audience: vip('KR'), ...seoulAt('2027-03-01T22:00') },
    gets: ['seoul 03-01 13:00'],
  },
  {
    what: 'a night skipped, where it is night',
    data: {
      messageType: 'AD',
      ...living('2027-03-01T20:59', { 'Asia/Seoul': ['seoul'] }),
      policy: { night: 'skip' },
    },
    gets: ['seoul 03-01 11:59'],
  },
  {
    what: 'a night skipped',
    data: {
      messageType: 'AD',
      ...living('2027-03-01T21:00', { 'Asia/Seoul': ['seoul'] }),
      policy: { night: 'skip' },
    },
    gets: [],
  },
  {
    what: 'quiet hours across midnight deferred',
    data: {
      ...living('2027-03-01T23:00', { 'Asia/Seoul': ['seoul'], 'Europe/Paris': ['paris'] }),
      policy: { quietHours: { start: '22:00', end: '07:30', action: 'defer' } },
    },
    gets: ['paris 03-02 06:30', 'seoul 03-01 22:30'],
  },
  {
    what: 'quiet hours skipped',
    data: {
      ...seoulAt('2027-03-01T12:30'),
      policy: { quietHours: { start: '12:00', end: '13:00', action: 'skip' } },
    },
    gets: [],
  },
  {
    what: 'a night deferred past the deadline',
    data: {
      messageType: 'AD',
      ...seoulAt('2027-03-01T22:00'),
      policy: { night: 'defer', deadline: 'PT1H' },
    },
    gets: [],
  },
  {
    what: 'a wall time that does not exist, moved on',
    data: { audience: vip('US'), delivery: { at: '2027-03-14T02:30', zone: 'America/New_York' } },
    gets: ['york 03-14 07:30'],
  },
  {
    what: 'a wall time that does not exist, left out',
    data: {
      delivery: { at: '2027-03-28T02:30', zone: 'Europe/Paris' },
      policy: { dst: { gap: 'skip' } },
    },
    gets: [],
  },
  {
    what: 'a wall time that does not exist, rejected',
    data: {
      delivery: { at: '2027-03-28T02:30', zone: 'Europe/Paris' },
      policy: { dst: { gap: 'reject' } },
    },
    refused: 'DST_GAP',
    gets: [],
  },
  {
    what: 'a wall time that comes twice, the second, beyond the horizon of reservations',
    data: {
      audience: users('auckland'),
      delivery: { at: '2027-04-04T02:30', zone: 'Pacific/Auckland' },
      policy: { dst: { overlap: 'second' } },
    },
    gets: ['auckland 04-03 14:30'],
  },
  {
    what: 'a wall time that comes twice, the first',
    data: {
      audience: users('auckland'),
      delivery: { at: '2027-04-04T02:30', zone: 'Pacific/Auckland' },
    },
    gets: ['auckland 04-03 13:30'],
  },
  {
    what: 'a wall time that comes twice, rejected',
    data: {
      delivery: { at: '2027-04-04T02:30', zone: 'Pacific/Auckland' },
      policy: { dst: { overlap: 'reject' } },
    },
    refused: 'DST_OVERLAP',
    gets: [],
  },
  {
    what: 'an occurrence on a DST change rejected, the others not',
    data: {
      audience: users('york'),
      delivery: { at: '2027-03-13T02:30', zone: 'America/New_York', recurrence: 'FREQ=DAILY;COUNT=3' },
      policy: { dst: { gap: 'reject' } },
    },
    gets: ['york 03-13 07:30', 'york 03-15 06:30'],
  },
  {
    what: 'an occurrence rejected where it is over in one zone, the next one not',
    data: {
      ...living('2027-03-01T10:00', PASSED, { recurrence: 'FREQ=DAILY;COUNT=2' }),
      policy: { passedZone: 'reject' },
    },
    gets: ['auckland 03-01 21:00', 'seoul 03-02 01:00'],
  },
  {
    what: 'a pace over reservations',
    data: {
      audience: users('seoul', 'busan', 'tokyo', 'paris', 'york', 'auckland', 'nobody', 'nowhere', 'none'),
      ...seoulAt('2027-03-02T09:00'),
      policy: { pace: { perMinute: 2 } },
    },
    gets: [
      'auckland 03-02 00:01',
      'busan 03-02 00:00',
      'paris 03-02 00:00',
      'seoul 03-02 00:00',
      'tokyo 03-02 00:00',
      'york 03-02 00:01',
    ],
  },
  {
    what: 'a pace that the deadline ends',
    data: {
      audience: users('seoul', 'busan', 'tokyo', 'paris', 'york', 'auckland'),
      ...seoulAt('2027-03-02T09:00'),
      policy: { pace: { perMinute: 1 }, deadline: 'PT1M' },
    },
    gets: ['busan 03-02 00:00', 'paris 03-02 00:01', 'seoul 03-02 00:00', 'tokyo 03-02 00:01'],
  },
  {
    what: 'a pace over two zones of one instant',
    data: {
      ...living('2027-03-02T09:00', { 'Asia/Seoul': ['seoul'], 'Asia/Tokyo': ['tokyo'] }),
      policy: { pace: { perMinute: 1 } },
    },
    gets: ['seoul 03-02 00:00', 'tokyo 03-02 00:01'],
  },
  {
    what: 'a pace of what goes now',
    data: {
      audience: users('seoul', 'busan', 'tokyo', 'paris', 'york'),
      delivery: { now: true },
      policy: { pace: { perMinute: 4 } },
    },
    gets: [
      'busan 03-01 00:00',
      'paris 03-01 00:00:15',
      'seoul 03-01 00:00',
      'tokyo 03-01 00:00:15',
      'york 03-01 00:00:30',
    ],
  },
  {
    what: 'a jitter over zones of one instant',
    data: {
      ...living('2027-03-02T09:00', { 'Asia/Seoul': ['seoul'], 'Asia/Tokyo': ['tokyo'] }),
      policy: { jitter: 'PT10M' },
    },
    // SHA-256 of the names begins with 0.6587 and 0.8134 of all.
    gets: ['seoul 03-02 00:06', 'tokyo 03-02 00:08'],
  },
  {
    what: 'a recurrence on the wall clock of a zone, over its DST change',
    data: {
      audience: users('york'),
      delivery: {
        at: '2027-03-01T09:00',
        zone: 'America/New_York',
        recurrence: 'FREQ=WEEKLY;BYDAY=MO;COUNT=3',
      },
    },
    gets: ['york 03-01 14:00', 'york 03-08 14:00', 'york 03-15 13:00'],
  },
  {
    what: 'a recurrence on recipient clocks, its first over where it has passed',
    data: living('2027-03-01T10:00', PASSED, { recurrence: 'FREQ=DAILY;COUNT=2' }),
    gets: ['auckland 03-01 21:00', 'seoul 03-01 01:00', 'seoul 03-02 01:00'],
  },
  {
    what: 'a schedule code',
    data: { audience: vip('KR'), delivery: { scheduleCode: 'WEEKLY', until: '2027-06-30T00:00:00Z' } },
    stops: ['2027-03-01T12:34:00.000Z', '2027-03-08T12:34:00.000Z'],
    gets: ['busan 03-01 12:34', 'busan 03-08 12:34', 'seoul 03-01 12:34', 'seoul 03-08 12:34'],
  },
  {
    what: 'what goes now',
    data: { audience: vip(), delivery: { now: true } },
    gets: allAt('03-01 00:00'),
  },
  {
    what: 'an instant with seconds, sent at its time',
    data: { audience: vip('FR'), delivery: { at: '2027-03-01T06:00:30+01:00' } },
    gets: ['paris 03-01 05:00:30'],
  },
  {
    what: 'an instant too near to be reserved',
    data: { audience: vip('FR'), delivery: { at: '2027-03-01T00:02:00Z' } },
    gets: ['paris 03-01 00:02'],
  },
  {
    what: 'what is held here until due',
    data: { audience: vip('FR'), ...seoulAt('2027-03-01T12:00'), policy: { handoff: 'hold' } },
    gets: ['paris 03-01 03:00'],
  },
  {
    what: 'a project without reservations',
    data: { audience: vip('FR'), ...seoulAt('2027-03-01T12:00') },
    project: { reservations: false },
    gets: ['paris 03-01 03:00'],
  },
  {
    what: 'late within its lateness',
    data: { audience: vip('FR'), delivery: { at: '2027-02-28T23:45:00Z' } },
    gets: ['paris 03-01 00:00'],
  },
  {
    what: 'late beyond its lateness, and sent all the same',
    data: {
      audience: vip('FR'),
      delivery: { at: '2027-02-28T23:00:00Z' },
      policy: { lateness: { then: 'send' } },
    },
    gets: ['paris 03-01 00:00'],
  },
];
