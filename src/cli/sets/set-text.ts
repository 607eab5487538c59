// A set of retries or resolves as lines: what it found, what it does with them, and how far it is. Pure.
import { z } from 'zod';
import { counted, utc } from '../shell/text-layout.js';

export type SetKind = 'retries' | 'resolves';

const DONE = { retries: 'retried', resolves: 'resolved' } as const;

export const SendSet = z.looseObject({
  token: z.string(),
  state: z.string(),
  createdAt: z.string(),
  createdBy: z.string(),
  expiresAt: z.string().nullable(),
  confirmedBy: z.string().nullable(),
  found: z.number(),
  leftOut: z.record(z.string(), z.number()),
  /** Of retries. */
  retry: z.number().optional(),
  retried: z.number().optional(),
  asked: z.object({ done: z.number(), of: z.number() }).optional(),
  devices: z.number().optional(),
  oldestDueAt: z.string().nullish(),
  campaignCount: z.number().optional(),
  failsAgain: z.record(z.string(), z.number()).optional(),
  due: z.object({ first: z.string(), last: z.string(), deferred: z.number() }).nullish(),
  /** Of resolves. */
  resolve: z.number().optional(),
  resolved: z.number().optional(),
  resolution: z.string().optional(),
});
export type SendSet = z.output<typeof SendSet>;

export function setText(kind: SetKind, set: SendSet): string {
  const { state, found, leftOut, due, resolution, token } = set;
  const does = set.retry ?? set.resolve ?? 0;
  const done = set.retried ?? set.resolved ?? 0;
  const as = resolution === undefined ? '' : ` as ${resolution}`;
  const confirmed = ['retrying', 'resolving', 'done'].includes(state);
  return [
    `${token}: ${state}`,
    `found: ${counted(found, 'send')}`,
    `${confirmed ? 'to be ' : 'would be '}${DONE[kind]}${as}: ${counted(does, 'send')}${confirmed ? `, ${done} so far` : ''}`,
    ...Object.entries(leftOut).map(([code, count]) => `  left out: ${counted(count, 'send')}, ${code}`),
    ...factsOf(set, does),
    ...(due === null || due === undefined || does === 0
      ? []
      : [
          `due from ${utc(Date.parse(due.first))} to ${utc(Date.parse(due.last))}` +
            (due.deferred === 0 ? '' : `; ${due.deferred} of them moved out of the night or quiet hours`),
        ]),
  ].join('\n');
}

/** What a preview says about the sends that it would retry. */
function factsOf({ devices, oldestDueAt, campaignCount, failsAgain = {} }: SendSet, does: number): string[] {
  if (does === 0 || devices === undefined) return [];
  const oldest = typeof oldestDueAt === 'string' ? `, due since ${utc(Date.parse(oldestDueAt))}` : '';
  return [
    `  of ${counted(campaignCount ?? 0, 'campaign')}, ${counted(devices, 'device')}${oldest}`,
    ...Object.entries(failsAgain).map(
      ([code, count]) => `  would fail again: ${counted(count, 'send')}, ${code}; mend the cause first`,
    ),
  ];
}
