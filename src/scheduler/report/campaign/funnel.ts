// The funnel of a campaign: how many of the ids that its audience names got it, and where and why the others were lost (reports.md, "One
// campaign"). Pure.
import { z } from 'zod';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import { statesOfTerm, type SendTerm } from '../../decide/lifecycle/send-state.js';
import { NONE } from '../../store/read/send-filter.js';
import type { Counts } from '../figures/report-figures.js';
import type { FunnelCounts, FunnelReported, FunnelSends } from './funnel.store.js';

export const FUNNEL_STAGES = ['given', 'requested', 'known', 'consent', 'targeted', 'taken'] as const;

const Lost = z
  .object({
    reason: z.string().describe('A code of the scheduler or of the push service'),
    count: count.nullable().describe('In the unit of the stage; null: nobody counts them'),
    requests: count.nullable().describe('Where the loss is of whole requests'),
    sends: z.string().describe('The path of the list of these sends'),
  })
  .meta({ id: 'FunnelLoss' });

const FunnelStage = z
  .object({
    stage: z
      .enum(FUNNEL_STAGES)
      .describe(
        'given: the ids that the audience names. requested: in requests that the push service took. known: registered there, with a device. consent: devices whose owner agreed. targeted: devices that it was to go to. taken: devices that a provider took',
      ),
    unit: z.enum(['ids', 'devices']),
    of: count.nullable().describe('How many come into the stage'),
    count: count.nullable().describe('How many are left for sure; null: nobody counts them'),
    lost: listOf(Lost).describe('The most frequent reason first'),
    pending: count.nullable().describe('Not decided yet; null: nobody can say how many'),
    notTold: count
      .nullable()
      .describe(
        'Left or lost, nobody can say which; null: nobody can say how many either, and `count` is the least. It is 0 only where everything was told',
      ),
  })
  .meta({ id: 'FunnelStage' });
export type FunnelStage = z.output<typeof FunnelStage>;

export const Funnel = listOf(FunnelStage)
  .nullable()
  .describe('Of the whole campaign; null where the report is of one occurrence');

/** Reasons by which a user's own choice keeps a device out; all other reasons are about the moment or the device. */
const CONSENT = ['NO_NOTIFICATION_AGREEMENT', 'NO_AD_AGREEMENT'];

interface FunnelFacts extends FunnelCounts {
  /** Our id. */
  readonly campaign: string;
  readonly devices: Counts['devices'];
}

export function funnelOf(facts: FunnelFacts): FunnelStage[] {
  return [...stagesOfIds(facts), ...stagesOfDevices(facts)];
}

type Fate = 'through' | 'pending' | 'unknown' | 'lost';

/** `through`: the push service took it and has said what became of it, or an operator has said that it went. */
function fateOf({ state, answered }: FunnelSends): Fate {
  const isOf = (...terms: readonly SendTerm[]): boolean =>
    terms.some((term) => statesOfTerm(term).includes(state));
  if (isOf('open', 'standing')) return 'pending';
  if (isOf('uncertain')) return 'unknown';
  return isOf('sent', 'empty') || (isOf('failed') && answered) ? 'through' : 'lost';
}

function stagesOfIds(facts: FunnelFacts): FunnelStage[] {
  const { campaign, given, sends } = facts;
  const areCounted = sends.every(({ unlisted }) => unlisted === 0) && given !== null;
  const idsOf = (fate: Fate): number | null =>
    areCounted ? sum(sends.filter((one) => fateOf(one) === fate).map(({ ids }) => ids)) : null;
  const through = idsOf('through');
  const lost = sends
    .filter((one) => fateOf(one) === 'lost')
    .map(({ state, code, ids, sends: requests }) => ({
      reason: code ?? state.toUpperCase(),
      count: areCounted ? ids : null,
      requests,
      sends: sendsPath(campaign, { state, code: code ?? NONE }),
    }));
  const absent = losses(facts, 'absent');
  const named = ofOutcome(facts, 'named') + sum(sends.map(({ whole }) => whole));
  const notTold = through === null ? null : Math.max(0, through - named);
  return [
    { stage: 'given', unit: 'ids', of: given, count: given, lost: [], pending: 0, notTold: given && 0 },
    {
      stage: 'requested',
      unit: 'ids',
      of: given,
      count: through,
      lost,
      pending: idsOf('pending'),
      notTold: idsOf('unknown'),
    },
    {
      stage: 'known',
      unit: 'ids',
      of: through,
      count:
        through === null ? null : Math.max(0, through - (notTold ?? 0) - sum(absent.map((one) => one.count))),
      lost: absent,
      pending: 0,
      notTold,
    },
  ];
}

function stagesOfDevices(facts: FunnelFacts): FunnelStage[] {
  const { devices, sends } = facts;
  const suppressed = losses(facts, 'suppressed');
  const byConsent = suppressed.filter(({ reason }) => CONSENT.includes(reason));
  const otherwise = suppressed.filter(({ reason }) => !CONSENT.includes(reason));
  const failed = losses(facts, 'failed');
  const agreed = devices.target + sum(otherwise.map((one) => one.count));
  const through = sends.filter((one) => fateOf(one) === 'through');
  const isTold = sum(through.map((one) => one.sends - one.whole)) <= ofOutcome(facts, 'answered');
  const isOpen = sends.some((one) => fateOf(one) === 'pending');
  const unsaid = { pending: isOpen ? null : 0, notTold: isTold ? 0 : null };
  const notTold = devices.target - devices.sent - devices.pending - sum(failed.map((one) => one.count));
  return [
    {
      stage: 'consent',
      unit: 'devices',
      of: agreed + sum(byConsent.map((one) => one.count)),
      count: agreed,
      lost: byConsent,
      ...unsaid,
    },
    { stage: 'targeted', unit: 'devices', of: agreed, count: devices.target, lost: otherwise, ...unsaid },
    {
      stage: 'taken',
      unit: 'devices',
      of: devices.target,
      count: devices.sent,
      lost: failed,
      pending: devices.pending,
      notTold: Math.max(0, notTold),
    },
  ];
}

type Loss = FunnelStage['lost'][number] & { readonly count: number };

/** What breakdowns say about one outcome, by reason. */
function losses({ campaign, reported }: FunnelFacts, outcome: FunnelReported['outcome']): Loss[] {
  return reported
    .filter((one) => one.outcome === outcome)
    .map(({ reason, devices, states }) => ({
      reason: reason ?? 'UNKNOWN',
      count: devices,
      requests: null,
      sends: sendsPath(campaign, { state: states.join(','), reason: reason ?? undefined }),
    }));
}

const ofOutcome = ({ reported }: FunnelFacts, outcome: FunnelReported['outcome']): number =>
  sum(reported.filter((one) => one.outcome === outcome).map(({ devices }) => devices));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

function sendsPath(
  campaign: string,
  filter: {
    readonly state: string;
    readonly code?: string;
    readonly reason?: string | undefined;
  },
): string {
  const given = Object.entries({ campaign, ...filter }).filter(([, value]) => value !== undefined);
  return `/v1/sends?${new URLSearchParams(given as [string, string][]).toString()}`;
}
