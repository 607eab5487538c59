// Reads examples/: events as publishers would write them, with placeholders for what depends on the moment, and
// beside each the end it must come to, written by hand.
import { CLOSED_CAMPAIGN } from '../../src/scheduler/decide/lifecycle/campaign-state.js';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';

const count = z.number().int().nonnegative();

const Expectation = z.strictObject({
  comment: z.string(),
  /** The campaign's final state. */
  state: z.enum(CLOSED_CAMPAIGN),
  /** The modes its sends were handed off in, if the example is about them. */
  modes: z.array(z.enum(['immediate', 'reserved', 'scheduled'])).optional(),
  /** The steps of the operator on the way. */
  steps: z.array(z.enum(['fire-schedule', 'cancel', 'retry-failed'])).default([]),
  /** The report: newest sends by state and devices, for each zone. */
  cells: z.array(
    z.strictObject({
      zone: z.string(),
      sends: z.record(z.string(), count),
      devices: z.strictObject({ target: count, sent: count, failed: count }),
    }),
  ),
  /** The push service's own deliveries: devices that took the message, by type. */
  deliveries: z.record(z.enum(['GCM', 'APNS']), count.optional()),
});
export type Expectation = z.output<typeof Expectation>;

const Event = z.looseObject({
  subject: z.string(),
  source: z.string(),
  data: z.looseObject({ serviceId: z.string(), name: z.string() }),
});

export interface Example {
  /** The file's name without its ending. */
  name: string;
  event: z.output<typeof Event>;
  expectation: Expectation;
}

const Audience = z.strictObject({
  services: z.array(
    z.strictObject({
      serviceId: z.string(),
      channels: z.array(z.string()),
      schedules: z.array(z.looseObject({ scheduleCode: z.string() })),
      users: z.array(
        z.strictObject({
          userId: z.string(),
          country: z.string(),
          language: z.string(),
          timezone: z.number().int(),
          devices: z.array(z.strictObject({ deviceType: z.enum(['GCM', 'APNS']), deviceToken: z.string() })),
          channels: z.array(z.string()),
          consent: z.strictObject({ notification: z.boolean(), ad: z.boolean(), nightAd: z.boolean() }),
        }),
      ),
    }),
  ),
});
export type DemoService = z.output<typeof Audience>['services'][number];
export type DemoUser = DemoService['users'][number];

/** A reservation is planned at least so long before its due: the demo's minReserveLead of 20 s, and the time of its hand-off. */
const RESERVABLE_AHEAD_MS = 35_000;

/** The values for the `{{…}}` placeholders, all for one moment. */
export class Moment {
  readonly #now: DateTime;
  readonly #reservable: DateTime;

  constructor(nowMs: number) {
    this.#now = DateTime.fromMillis(nowMs, { zone: 'UTC' });
    this.#reservable = this.#now
      .plus({ milliseconds: RESERVABLE_AHEAD_MS })
      .plus({ minutes: 1 })
      .startOf('minute');
  }

  /** Throws for a placeholder that it does not know, so that a mistake in an example does not reach the broker. */
  value(placeholder: string): string | number {
    const [word = '', zone] = placeholder.split(' ');
    switch (word) {
      case 'id':
        return uuidv7();
      case 'now':
        return this.#now.toISO() ?? '';
      case 'reservable':
        return zone === undefined
          ? (this.#reservable.toISO() ?? '')
          : this.#reservable.setZone(zone).toFormat("yyyy-MM-dd'T'HH:mm");
      case 'overlap':
        return this.#whichOfTwo(zone ?? '');
      case 'weekdayAhead':
        return this.#now.plus({ days: 3 }).toFormat('ccc', { locale: 'en' }).toUpperCase();
      case 'offsetAtNight':
        return this.#offsetWhereItIs(2);
      case 'offsetAtNoon':
        return this.#offsetWhereItIs(12);
      default:
        throw new Error(`{{${placeholder}}} is no placeholder of the examples`);
    }
  }

  /** Which one the reservable minute is, by the words of `dst.overlap`, where the zone's clock goes back and shows it twice. */
  #whichOfTwo(zone: string): 'first' | 'second' {
    const local = this.#reservable.setZone(zone);
    const [first] = local.getPossibleOffsets().sort((a, b) => a.toMillis() - b.toMillis());
    return first !== undefined && first.toMillis() < local.toMillis() ? 'second' : 'first';
  }

  /** Seconds from UTC of the clocks that show `hour` now, within −12 h … +12 h. */
  #offsetWhereItIs(hour: number): number {
    const ahead = (hour - this.#now.hour + 24) % 24;
    return (ahead > 12 ? ahead - 24 : ahead) * 3_600;
  }
}

/** Replaces placeholders in every string of a JSON value. A placeholder that is the whole string may become a number. */
function fill(value: unknown, moment: Moment): unknown {
  if (typeof value === 'string') {
    const whole = /^\{\{([^}]+)\}\}$/.exec(value)?.[1];
    if (whole !== undefined) return moment.value(whole);
    return value.replace(/\{\{([^}]+)\}\}/g, (_, name: string) => String(moment.value(name)));
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, moment));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, moment)]));
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The examples of `dir` in the order of their names. Throws where one has no expectation. */
export function loadExamples(dir: string, moment: Moment): Example[] {
  return readdirSync(dir)
    .filter((file) => /^\d.*(?<!\.expect)\.json$/.test(file))
    .sort()
    .map((file) => {
      const name = file.slice(0, -'.json'.length);
      return {
        name,
        event: Event.parse(fill(readJson(join(dir, file)), moment)),
        expectation: Expectation.parse(readJson(join(dir, `${name}.expect.json`))),
      };
    });
}

/** The services, channels, schedules and users that the examples use. */
export function loadAudience(dir: string, moment: Moment): DemoService[] {
  return Audience.parse(fill(readJson(join(dir, 'audience.json')), moment)).services;
}
