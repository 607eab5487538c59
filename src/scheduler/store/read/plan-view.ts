// The shapes of a plan and its cells in the API (planning.md §9), the same for a campaign and for a preview, so that the two can be
// compared. plan/shown-plan.ts makes them.
import { z } from 'zod';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import { DEVICE_TYPES, TARGET_TYPES } from '../../../push-contract/statuses.js';
import { SKIP_CODES, ZONE_SOURCES } from '../../decide/plan/plan-types.js';
import { LOCAL_VERDICTS } from '../../decide/timing/local-time.js';
import { MODE_RULES, MODES } from '../../decide/timing/send-mode.js';
import { PolicyData } from '../policy-data.js';

const instantText = z.iso.datetime();

export const PlanProblemView = z
  .object({
    code: z.string(),
    text: z.string(),
    pointer: z.string().describe('JSON pointer into data; empty for the whole'),
    difference: z.unknown().optional().describe('For PLAN_CHANGED: the differences from the preview'),
  })
  .meta({ id: 'PlanProblem' });

const verdict = z.object({
  kind: z.string(),
  to: instantText.nullable().optional().describe('Where it was moved to'),
  afterGap: z.string().optional().describe("HH:mm of `to`, where the clock change skips the window's end"),
});

export const Verdicts = z
  .object({
    dst: z
      .enum(LOCAL_VERDICTS)
      .describe('Whether the wall time asked for exists once, twice or not at all in the zone'),
    passedZone: verdict,
    night: verdict,
    quietHours: verdict,
    jitterMs: z.number(),
    paceMs: z.number(),
    deadlineAt: instantText.nullable(),
    lastDueAt: instantText.nullable().describe('The due of its last request'),
    fallback: z.enum(['INVALID_ZONE', 'ZONE_UNKNOWN']).optional(),
    expired: z.object({ lateMs: z.number() }).optional(),
    late: z
      .object({ lateMs: z.number() })
      .optional()
      .describe('Later than lateness.max; it goes all the same'),
    nightRequests: count
      .optional()
      .describe('Requests that a pace puts into the night, to those who consented'),
    skippedRequests: z.record(z.string(), count).optional(),
  })
  .describe('Every decision about the cell, with its reason')
  .meta({ id: 'Verdicts' });

export const LocalView = z.object({
  asked: z.string().nullable().describe('The wall time asked for'),
  reading: z
    .object({ weekday: z.string(), date: z.string(), time: z.string(), offset: z.string() })
    .describe('The wall time in the zone when it is due'),
});

/** Instants are text in a preview, and Dates in a row. */
function cellView<Instant extends z.ZodType>(instant: Instant) {
  return {
    occurrence: z.string(),
    cell: z.string(),
    zone: z.string(),
    zoneSource: z.enum(ZONE_SOURCES),
    segment: z.int().describe("Number of the event's segment, from 1; 0: none"),
    deviceType: z.enum(['all', ...DEVICE_TYPES]),
    country: z.string(),
    target: z
      .object({
        type: z.enum(TARGET_TYPES),
        deviceType: z.enum(DEVICE_TYPES).nullish(),
        to: listOf(z.string()).nullish(),
        country: listOf(z.string()).nullish(),
        timezone: listOf(z.int()).nullish().describe('Registered offsets, seconds from UTC'),
      })
      .describe("The request's target, without the ids of a USER audience"),
    local: LocalView.nullable(),
    intendedAt: instant.nullable(),
    dueAt: instant.nullable(),
    handOffAt: instant.nullable(),
    mode: z.enum(MODES).nullable(),
    rule: z.enum(MODE_RULES).nullable().describe('Why this mode'),
    verdicts: Verdicts,
    skipped: z.enum(SKIP_CODES).nullable().describe('Why none of its requests leaves'),
    requests: count,
    recipients: count.nullable(),
  };
}

export const CellRow = z.object({ ...cellView(z.date()), revision: z.int().min(1) }).meta({ id: 'Cell' });
export type CellRow = z.output<typeof CellRow>;

export const PreviewedCell = z.object(cellView(instantText)).meta({ id: 'PreviewedCell' });
export type PreviewedCell = z.output<typeof PreviewedCell>;

const ShownPolicy = z
  .object(PolicyData.shape)
  .describe('The policy by which the cells were planned, with all defaults')
  .meta({ id: 'ShownPolicy' });

/** A plan without its cells. */
export const PlanView = z.object({
  cells: count,
  policy: ShownPolicy,
  warnings: listOf(PlanProblemView),
  totals: z.object({
    cells: count,
    requests: count,
    skippedRequests: count,
    expiredRequests: count,
    recipients: count.nullable().describe('null where an audience is not made of ids'),
    duplicates: count,
    fallbackRecipients: count.nullable(),
    invalidZones: z.record(z.string(), count),
    provisional: count.describe('Ids in the fallback zone because their offset was not looked up'),
    firstDueAt: instantText.nullable(),
    lastDueAt: instantText.nullable(),
    expectedEndAt: instantText.nullable(),
  }),
  load: listOf(
    z.object({
      minute: instantText,
      requests: count,
      backlog: count.describe("Requests that the project's rate moves to after this minute"),
    }),
  ),
  tzdata: z.object({ source: z.string(), version: z.string() }),
  nextLookAt: instantText.optional().describe('When the occurrences after these are planned'),
});
export type PlanView = z.output<typeof PlanView>;
