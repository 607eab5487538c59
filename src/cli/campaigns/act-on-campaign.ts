// What carillon campaigns cancel, pause, resume, approve and decline do: the act of an operator over HTTP, or with --preview what it would do.
import { z } from 'zod';
import { HAND_ACTS, type HandAct } from '../../scheduler/decide/lifecycle/campaign-act.js';
import { print, type JsonOption } from '../shell/output.js';
import { callScheduler, schedulerApi } from '../shell/scheduler-api.js';
import { counted, utc } from '../shell/text-layout.js';

export interface ActOptions extends JsonOption {
  readonly occurrence?: string;
  readonly reason?: string;
  /** Approvals: what was looked at. */
  readonly revision?: number;
  readonly hash?: string;
  readonly preview?: true;
}

const ActTaken = z.object({
  campaignId: z.string(),
  act: z.enum(HAND_ACTS),
  occurrence: z.string().optional(),
  state: z.string().nullable(),
  paused: z.boolean(),
  changed: z.boolean(),
  preview: z
    .object({
      atOnce: z.number(),
      askedOfPushService: z.number(),
      inFlight: z.number(),
      tooLate: z.number(),
      late: z.object({ expire: z.number(), send: z.number() }),
      firstDueAt: z.string().nullable(),
    })
    .nullable(),
});
type ActTaken = z.output<typeof ActTaken>;

export async function actOnCampaign(act: HandAct, id: string, options: ActOptions): Promise<void> {
  const api = schedulerApi({ role: 'operator' });
  const { occurrence, reason, revision, hash, preview } = options;
  const of = occurrence === undefined ? '' : `/occurrences/${encodeURIComponent(occurrence)}`;
  const path = `/v1/campaigns/${encodeURIComponent(id)}${of}/${act}${preview === true ? '?preview=true' : ''}`;
  const taken = await callScheduler(api, path, ActTaken, JSON.stringify({ reason, revision, hash }));
  print(options, taken, textOf(taken));
}

const WILL = {
  cancel: ['cancels', 'cancelled'],
  pause: ['holds', 'paused'],
  resume: ['plans again', 'resumed'],
  approve: ['plans again', 'approved'],
  decline: ['cancels', 'declined'],
} as const satisfies Record<HandAct, readonly [does: string, done: string]>;

function textOf({ campaignId, act, occurrence, changed, preview }: ActTaken): string {
  const what = occurrence === undefined ? campaignId : `${occurrence} of ${campaignId}`;
  const [does, done] = WILL[act];
  if (preview === null) {
    const already = act === 'resume' ? 'was not paused' : `was ${done} before`;
    return changed
      ? `${what} is ${done}; "carillon campaigns show" says how far its sends are`
      : `${what} ${already}`;
  }
  const { atOnce, askedOfPushService, inFlight, tooLate, late, firstDueAt } = preview;
  return [
    `It ${does} ${counted(atOnce, 'send')} of ${what} at once.`,
    ...(askedOfPushService > 0
      ? [`It asks the push service for ${counted(askedOfPushService, 'send')} more.`]
      : []),
    ...(inFlight > 0 ? [`The answer under way decides about ${counted(inFlight, 'send')}.`] : []),
    ...(tooLate > 0 ? [`It comes too late for ${counted(tooLate, 'send')}.`] : []),
    ...(late.expire > 0 ? [`Too late to go out: ${counted(late.expire, 'send')}.`] : []),
    ...(late.send > 0 ? [`Going out late: ${counted(late.send, 'send')}.`] : []),
    ...(firstDueAt === null ? [] : [`The first of them is due at ${utc(Date.parse(firstDueAt))}.`]),
    'Nothing was changed.',
  ].join('\n');
}
