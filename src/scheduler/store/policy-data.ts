// The policy of a campaign as a publisher or an admin writes it (campaign-events.md, "policy"): the shape of each member and its
// meaning. Events and projects share them, so that a project can set a default for every member of an event's policy.
import { z } from 'zod';
import { textOfAtMost } from '../../platform/text-length.js';
import { MAX_USER_ID_LENGTH } from '../../push-contract/limits.js';
import { DAY_MS } from '../../zone-rules/civil.js';
import { exactMs, parseDuration, type CalendarDuration } from '../decide/timing/duration.js';
import {
  GAP_POLICIES,
  NIGHT_POLICIES,
  OVERLAP_POLICIES,
  PASSED_ZONE_POLICIES,
  type PassedZonePolicy,
  type Policy,
  type QuietHours,
} from '../decide/timing/campaign-policy.js';

const CLOCK_TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const FLOOR = 'floor:';
const PASSED_ZONE = new RegExp(`^(${PASSED_ZONE_POLICIES.join('|')}|${FLOOR}.{1,64})$`);

const short = (longest: number) => textOfAtMost(longest).min(1);
const formatted = (pattern: RegExp, says: string, example: string) =>
  z
    .string()
    .regex(pattern, says)
    .meta({ examples: [example] });
const duration = short(64)
  .meta({ examples: ['P1D'] })
  .refine((value) => parseDuration(value) !== undefined, {
    error: 'must be an ISO 8601 duration',
    params: { code: 'WRONG_FORMAT' },
    abort: true,
  })
  .refine((value) => isAtMostAYear(durationOf(value)), {
    error: 'must be at most a year',
    params: { code: 'WRONG_VALUE' },
  });
/** A length that needs no calendar. */
const exactDuration = duration
  .refine((value) => exactMs(durationOf(value)) !== undefined, {
    error: 'must be an ISO 8601 duration without months or years',
    params: { code: 'WRONG_FORMAT' },
  })
  .meta({ examples: ['PT30M'] });
const timeOfDay = formatted(CLOCK_TIME, 'must be a time of day, HH:mm', '21:00');

const QuietHoursData = z
  .strictObject({
    start: timeOfDay.describe('HH:mm'),
    end: timeOfDay.describe('HH:mm'),
    action: z
      .enum(['defer', 'skip'])
      .meta({ examples: ['defer'] })
      .describe('Defer to the end of the window, or skip'),
  })
  .meta({ examples: [{ start: '21:00', end: '08:00', action: 'defer' }] });
const PaceData = z
  .strictObject({
    perMinute: z
      .int()
      .min(1)
      .max(10_000_000)
      .meta({ examples: [6000] })
      .describe('Requests'),
  })
  .meta({ examples: [{ perMinute: 6000 }] });

/** Switches a project's default off (docs/decisions/0013); null means absent, as in every member. */
const NONE = 'none';

/** Every member is optional, and null counts as absent. A project's policy_defaults have the same shape. */
export const PolicyData = z
  .strictObject({
    dst: z
      .strictObject({
        gap: z.enum(GAP_POLICIES).nullish().describe('A wall time that does not exist [forward]'),
        overlap: z.enum(OVERLAP_POLICIES).nullish().describe('One that exists twice [first]'),
      })
      .meta({ examples: [{ gap: 'forward' }] })
      .nullish()
      .describe('For wall times around a change of the clock'),
    night: z
      .enum(NIGHT_POLICIES)
      .nullish()
      .describe(
        "For AD, from 21:00 to 08:00 on the recipient's clock [consented]: the push service leaves out users without night consent; defer to 08:00; skip",
      ),
    quietHours: z
      .union([QuietHoursData, z.literal(NONE)], 'must be an object of start, end and action, or "none"')
      .nullish()
      .describe(
        "A daily window on the recipient's clock, for any messageType; none switches a project's default off",
      ),
    passedZone: formatted(
      PASSED_ZONE,
      `must be ${PASSED_ZONE_POLICIES.join(', ')} or floor:<zone>`,
      'floor:Asia/Seoul',
    )
      .nullish()
      .describe(
        `For zones where the wall time is already over [skip]: ${PASSED_ZONE_POLICIES.join(', ')}, or floor:<zone>: the instant of that wall time in the zone`,
      ),
    deadline: duration
      .nullish()
      .describe(
        'ISO 8601 duration after the intended instant, at most a year [P1D]: nothing leaves later than that',
      ),
    lateness: z
      .strictObject({
        max: exactDuration.nullish().describe('ISO 8601 duration without months or years [PT30M]'),
        // oxlint-disable-next-line unicorn/no-thenable -- the contract's word; no promise ever meets this object
        then: z
          .enum(['expire', 'send'])
          .nullish()
          .describe('What happens to a send that is later than max [expire]'),
      })
      .meta({ examples: [{ max: 'PT30M' }] })
      .nullish()
      .describe(
        'For sends that the scheduler could not hand off at their due: it was down, throttled or blocked',
      ),
    handoff: z
      .enum(['reserve', 'hold'])
      .nullish()
      .describe(
        'reserve: hand off as soon as the push service takes a reservation; hold: hand off when it is due [reserve]',
      ),
    pace: z
      .union([PaceData, z.literal(NONE)], 'must be an object of perMinute, or "none"')
      .nullish()
      .describe("Requests of this campaign a minute, spread evenly; none switches a project's default off"),
    jitter: exactDuration
      .nullish()
      .describe(
        'ISO 8601 duration without months or years [PT0S]: spreads zones that fall on the same instant',
      ),
    split: z
      .array(z.enum(['deviceType', 'country']))
      .max(2)
      .meta({ examples: [['country']] })
      .nullish()
      .describe(
        'A send for each value, so that reports show them separately; country needs audience.country',
      ),
    approval: z
      .enum(['none', 'required'])
      .nullish()
      .describe('required: it is planned and shown, and nothing leaves before somebody approves it [none]'),
    testTo: z
      .array(short(MAX_USER_ID_LENGTH).meta({ examples: ['user-1'] }))
      .max(20)
      .meta({ examples: [['user-1']] })
      .nullish()
      .describe(
        'User ids that get it at once, as a test, before it is approved and outside its reports; the push service still leaves out who did not consent',
      ),
  })
  .meta({ id: 'Policy', examples: [{ night: 'defer', passedZone: 'skip' }] });
export type PolicyData = z.output<typeof PolicyData>;

/** A project's defaults: they have no defaults to switch off, and approvals and tests are for each campaign to set. */
export const PolicyDefaultsData = PolicyData.omit({ approval: true, testTo: true }).extend({
  quietHours: QuietHoursData.refine(({ start, end }) => start !== end, {
    error: 'must differ from start',
    path: ['end'],
  }).nullish(),
  pace: PaceData.nullish(),
});

/** `base` with every given member in place of its own; dst and lateness member by member. */
export function overlay(base: Policy, given: PolicyData): Policy {
  return {
    dst: { gap: given.dst?.gap ?? base.dst.gap, overlap: given.dst?.overlap ?? base.dst.overlap },
    night: given.night ?? base.night,
    quietHours: orElse(given.quietHours, toQuietHours, base.quietHours),
    passedZone: orElse(given.passedZone, toPassedZone, base.passedZone),
    deadline: orElse(given.deadline, durationOf, base.deadline),
    lateness: {
      maxMs: orElse(given.lateness?.max, msOf, base.lateness.maxMs),
      beyond: given.lateness?.then ?? base.lateness.beyond,
    },
    handoff: given.handoff ?? base.handoff,
    pace: orElse(given.pace, (pace) => (pace === NONE ? null : pace), base.pace),
    jitterMs: orElse(given.jitter, msOf, base.jitterMs),
    split: orElse(given.split, toSplit, base.split),
    approval: given.approval ?? base.approval,
    testTo: given.testTo ?? base.testTo,
  };
}

function orElse<Given, Meant>(
  given: Given | null | undefined,
  read: (given: Given) => Meant,
  otherwise: Meant,
): Meant {
  return given === null || given === undefined ? otherwise : read(given);
}

function toSplit(by: readonly (keyof Policy['split'])[]): Policy['split'] {
  return { deviceType: by.includes('deviceType'), country: by.includes('country') };
}

function toQuietHours(given: z.output<typeof QuietHoursData> | typeof NONE): QuietHours | null {
  if (given === NONE) return null;
  const { start, end, action } = given;
  return { startMinute: minuteOfDay(start), endMinute: minuteOfDay(end), action };
}

function minuteOfDay(clockTime: string): number {
  return Number(clockTime.slice(0, 2)) * 60 + Number(clockTime.slice(3, 5));
}

function toPassedZone(text: string): PassedZonePolicy {
  const kind = PASSED_ZONE_POLICIES.find((word) => word === text);
  return kind === undefined ? { kind: 'floor', zone: text.slice(FLOOR.length) } : { kind };
}

function durationOf(text: string): CalendarDuration {
  const parsed = parseDuration(text);
  if (parsed === undefined) throw new RangeError(`${text} is no duration`);
  return parsed;
}

function isAtMostAYear({ months, days, ms }: CalendarDuration): boolean {
  return months * 31 + days + ms / DAY_MS <= 12 * 31;
}

function msOf(text: string): number {
  const ms = exactMs(durationOf(text));
  if (ms === undefined) throw new RangeError(`${text} has no exact length`);
  return ms;
}

/** The zone in `passedZone`; undefined: it has none. */
export function floorZone({ passedZone }: PolicyData): string | undefined {
  return passedZone?.startsWith(FLOOR) === true ? passedZone.slice(FLOOR.length) : undefined;
}
