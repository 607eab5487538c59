// The campaigns of the day, and when the tour does what. Pure: it is given the date and whose clock is moved.
import { v7 as uuidv7 } from 'uuid';
import { DateTime } from 'luxon';
import type { EpochMs } from '../../../src/platform/clock.js';
import { instantOf, type ClockChange } from './dst-night.js';
import { LIST, SERVICE_ID, ZONES } from './travellers.js';

const HOUR_MS = 3_600_000;
/** Before the first due of the tour: ten real seconds at 720 times the speed, for publishing, planning and an approval. */
const OPENS_BEFORE_MS = 2 * HOUR_MS;
/** A send of the noon that is later than that after the pause is not sent any more. */
export const NOON_MAX_LATE_MS = 1.5 * HOUR_MS;

const [EAST = 'UTC'] = ZONES;
const WEST = ZONES.at(-1) ?? EAST;
/** The pause begins before the noon of the first, and ends after that of the second, which goes late. */
const PAUSED = { from: 'Asia/Kolkata', until: 'Europe/Paris' } as const;

export interface Day {
  readonly date: string;
  readonly changes: readonly ClockChange[];
  /** The wall time of the night campaign: one that a change makes strange, if there is one. */
  readonly nightTime: string;
  readonly eve: string;
  /** When the tour publishes its campaigns. */
  readonly opensAt: EpochMs;
  readonly pauseAt: EpochMs;
  readonly resumeAt: EpochMs;
  /** After the last due. */
  readonly endsAt: EpochMs;
}

export function dayOf(date: string, changes: readonly ClockChange[]): Day {
  const eve = DateTime.fromISO(date, { zone: 'UTC' }).minus({ days: 1 }).toFormat('yyyy-MM-dd');
  const [change] = changes;
  const nightTime = change?.wallTime ?? '02:30';
  const morning = instantOf(date, '09:00', EAST);
  const night = change === undefined ? morning : instantOf(date, nightTime, change.zone);
  return {
    date,
    changes,
    nightTime,
    eve,
    opensAt: Math.min(morning, night) - OPENS_BEFORE_MS,
    pauseAt: instantOf(date, '12:00', PAUSED.from) - HOUR_MS,
    resumeAt: instantOf(date, '12:00', PAUSED.until) + HOUR_MS / 2,
    endsAt: instantOf(date, '12:00', WEST),
  };
}

export interface DayCampaign {
  readonly subject: string;
  /** The wall time that it asks for, HH:mm. */
  readonly wallTime: string;
  /** What it shows, for people. */
  readonly shows: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export function dayCampaigns({ date, eve, nightTime }: Day): DayCampaign[] {
  const one = (
    subject: string,
    [on, wallTime]: readonly [string, string],
    shows: string,
    { content, policy, ...further }: { content: string; policy?: object; messageType?: string },
  ): DayCampaign => ({
    subject,
    wallTime,
    shows,
    data: {
      serviceId: SERVICE_ID,
      name: shows,
      audience: { type: 'USER', list: LIST },
      message: { default: { content } },
      delivery: { at: `${on}T${wallTime}`, zone: 'recipient' },
      policy: { lateness: { max: 'PT1H' }, ...policy },
      ...further,
    },
  });
  return [
    one('last-seats', [eve, '21:30'], 'an advertisement at night is deferred to 08:00', {
      content: '(광고) The last seats',
      messageType: 'AD',
      policy: { night: 'defer' },
    }),
    one('night-watch', [date, nightTime], 'a wall time of the night, by each clock', {
      content: 'Lights out',
    }),
    one('good-morning', [date, '09:00'], 'waits for an approval, then travels west', {
      content: 'Good morning',
      policy: { approval: 'required' },
    }),
    one('noon', [date, '12:00'], 'paused for some hours: one zone goes late, one not at all', {
      content: 'Lunch is ready',
      policy: { lateness: { max: 'PT90M' } },
    }),
  ];
}

/** `time`: by the clock of the services. */
export function eventOf({ subject, data }: DayCampaign, time: EpochMs) {
  return {
    specversion: '1.0',
    id: uuidv7(),
    source: '/demo/day',
    type: 'carillon.campaign.scheduled.v1',
    subject,
    time: new Date(time).toISOString(),
    data: { ...data, serviceId: SERVICE_ID },
  };
}
