// What the runs of one setting come to, value against bound, with the figures behind each.
import { median, type Finding } from '../measure.js';
import type { Life, Setting } from './one-run.js';
import { wordsOf } from './shapes.js';

/** The signed loop: one POST and one GET each. */
export interface Loop {
  readonly perSecond: number;
  /** A pair. */
  readonly processorMs: number;
}

export interface Round {
  readonly life: Life;
  readonly loop: Loop;
}

interface Measure extends Omit<Finding, 'name' | 'value'> {
  readonly measure: string;
  readonly pick: (round: Round) => number;
}

const atMost = (value: number) => ({ kind: 'at most', value }) as const;
const atLeast = (value: number) => ({ kind: 'at least', value }) as const;

/** `isJudged`: bounds hold for it; a setting that is shown beside the best has none. */
export function findingsOf(setting: Setting, rounds: readonly Round[], isJudged: boolean): Finding[] {
  const { shape, replicas, inFlight, pastDays, ended } = setting;
  const beside = pastDays > 0 ? `, ${pastDays} partitions and ${ended} ended rows beside` : '';
  const of = `${wordsOf(shape)}; ${replicas === 1 ? 'one replica' : `${replicas} replicas`}, ${inFlight} in flight${beside}`;
  const each = (pick: (round: Round) => number, digits = 0): string =>
    rounds.map((round) => pick(round).toFixed(digits)).join(' ');
  const perSend = (pick: (life: Life) => number) => (round: Round) => pick(round.life) / round.life.sends;
  const perSecond = ({ life }: Round): number => (life.sends / life.ms) * 1_000;
  const cost = (who: keyof Life['processor']) => perSend(({ processor }) => processor[who]);
  const costs = `by round, ms: ${(['scheduler', 'postgres', 'stub', 'broker'] as const).map((who) => `${who} ${each(cost(who), 3)}`).join('; ')}`;
  const [first] = rounds;
  const measures: readonly Measure[] = [
    {
      measure:
        'event to last outcome published, against the signed loop of a POST and a GET without a database',
      unit: '×',
      pick: (round) => perSecond(round) / round.loop.perSecond,
      bound: atLeast(0.15),
      detail: `sends/s by round: ours ${each(perSecond)}; it ${each(({ loop }) => loop.perSecond)}; stages of the first, s: ${stagesOf(first)}`,
    },
    {
      measure: 'PostgreSQL processor time a send, whole life',
      unit: 'ms',
      pick: cost('postgres'),
      bound: atMost(0.14),
      detail: costs,
    },
    {
      measure: 'scheduler processor time a send, whole life',
      unit: 'ms',
      pick: cost('scheduler'),
      detail: costs,
    },
    {
      measure: 'scheduler processor time a send, whole life, against that of the signed loop a pair',
      unit: '×',
      pick: (round) => cost('scheduler')(round) / round.loop.processorMs,
      bound: atMost(3),
      detail: `by round, ms: it ${each(({ loop }) => loop.processorMs, 3)}`,
    },
    {
      measure: 'WAL a send',
      unit: 'bytes',
      pick: perSend(({ walBytes }) => walBytes),
      bound: atMost(shape.walBytes),
      detail: `rows a send: ${rowsOf(first)}`,
    },
    {
      measure: 'kept a send',
      unit: 'bytes',
      pick: perSend(({ keptBytes }) => keptBytes),
      bound: atMost(shape.keptBytes),
      detail: pastDays > 0 ? 'after vacuum' : 'after vacuum full',
    },
    {
      measure: 'longest time a result was due and none asked for',
      unit: 'ms',
      pick: ({ life }) => life.seen.longestStallMs,
      bound: atMost(1_000),
      detail: `by round: ${each(({ life }) => life.seen.longestStallMs)}; GETs a send ${each(({ life }) => life.seen.gets / life.sends, 2)}; longest time between two outcomes, ms: ${each(({ life }) => life.longestGapMs)}`,
    },
  ];
  return measures.map(({ measure, pick, bound, unit, detail }) => ({
    name: `${measure}: ${of}`,
    value: median(rounds.map(pick)),
    unit,
    ...(isJudged && bound !== undefined && { bound }),
    detail,
  }));
}

function stagesOf(round: Round | undefined): string {
  return Object.entries(round?.life.stages ?? {})
    .map(([stage, times]) => `${stage} ${times.map((ms) => (ms / 1_000).toFixed(1)).join('–')}`)
    .join(', ');
}

function rowsOf(round: Round | undefined): string {
  if (round === undefined) return '';
  const { rows, outcomes, sends } = round.life;
  return [...Object.entries(rows), ['outcome events', outcomes] as const]
    .map(([what, count]) => `${what} ${(count / sends).toFixed(2)}`)
    .join(', ');
}
