// What carillon campaigns show prints: where a campaign stands, what is being done to it, and its sends by state.
import { z } from 'zod';
import { print, type JsonOption } from '../shell/output.js';
import { callScheduler, schedulerApi } from '../shell/scheduler-api.js';
import { counted, utc } from '../shell/text-layout.js';

const Campaign = z.looseObject({
  campaignId: z.string(),
  serviceId: z.string(),
  state: z.string(),
  paused: z.boolean(),
  code: z.string().nullable(),
  detail: z.string().nullable(),
  nextDueAt: z.string().nullable(),
  attention: z.object({ text: z.string() }).nullable(),
  acts: z.array(
    z.object({
      act: z.string(),
      occurrence: z.string().nullable(),
      by: z.string(),
      at: z.string(),
      reason: z.string().nullable(),
      isDone: z.boolean(),
      moved: z.number(),
      left: z.number(),
    }),
  ),
  revisions: z.array(z.object({ revision: z.number(), hash: z.string(), state: z.string() })),
  sends: z.record(z.string(), z.number()),
});
type Campaign = z.output<typeof Campaign>;

export async function showCampaign(id: string, options: JsonOption): Promise<void> {
  const api = schedulerApi({ role: 'analyst' });
  const campaign = await callScheduler(api, `/v1/campaigns/${encodeURIComponent(id)}`, Campaign);
  print(options, campaign, textOf(campaign));
}

function textOf({
  campaignId,
  serviceId,
  state,
  paused,
  code,
  detail,
  nextDueAt,
  attention,
  acts,
  revisions,
  sends,
}: Campaign): string {
  const why = detail ?? code;
  return [
    `${campaignId} of ${serviceId}: ${state}${paused ? ', paused' : ''}${why === null ? '' : ` (${why})`}`,
    ...(attention === null ? [] : [attention.text]),
    ...revisions.flatMap(({ revision, hash, state: of }) =>
      of === 'awaiting-approval' ? [`revision ${revision} awaits approval, hash ${hash}`] : [],
    ),
    ...acts.map(({ act, occurrence, by, at, reason, isDone, moved, left }) => {
      const what = occurrence === null ? act : `${act} of ${occurrence}`;
      const far = isDone
        ? `done, ${counted(moved, 'send')} moved`
        : `under way: ${moved} moved, ${left} left`;
      return `${what} by ${by} at ${utc(Date.parse(at))}${reason === null ? '' : ` (${reason})`}: ${far}`;
    }),
    `sends: ${
      Object.entries(sends)
        .map(([name, count]) => `${count} ${name}`)
        .join(', ') || 'none'
    }`,
    ...(nextDueAt === null ? [] : [`next due: ${utc(Date.parse(nextDueAt))}`]),
  ].join('\n');
}
