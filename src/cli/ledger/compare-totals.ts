// Compares our ledger with the push service's own, for one project: what it took of us and what that came to, by the day on which it
// took it. Figures that no longer change on either side must agree; the others are reported as open. Pure.
import { z } from 'zod';
import type { HandedOverDay } from '../../scheduler/report/ledger/handed-over.store.js';

const count = z.int().min(0);
const totals = z.object({
  messages: count,
  target: count,
  sent: count,
  failed: count,
  unknown: count,
  pending: count,
});
/** The push service's answer (push-decisions.md, "Management"). */
export const PushTotals = z.object({
  days: z.array(z.object({ day: z.string(), whole: z.boolean(), total: totals, final: totals })),
});
export type PushTotals = z.output<typeof PushTotals>;
type PushDay = PushTotals['days'][number];

const TERMS = ['messages', 'final', 'target', 'sent', 'failed'] as const;
type Term = (typeof TERMS)[number];

/**
 * The totals of one side: messages, how many of them are final, and the devices of those. The push service's `failed` includes
 * devices of unknown fate, because our side does not distinguish the two.
 */
export type SideTotals = Readonly<Record<Term, number>>;

export interface Difference {
  readonly day: string;
  readonly term: Term;
  readonly ours: number;
  readonly theirs: number;
}

export interface ComparedTotals {
  readonly ours: SideTotals;
  readonly theirs: SideTotals;
  /** Differences in figures that no longer change. */
  readonly differs: readonly Difference[];
  /** What is still open, in words. */
  readonly open: readonly string[];
}

const NOTHING: SideTotals = { messages: 0, final: 0, target: 0, sent: 0, failed: 0 };
const NOTHING_DONE: HandedOverDay = { serviceId: '', day: '', ...NOTHING, byHand: 0 };

/** `unanswered`: how many of our sends without an answer the push service may have taken; see handedOver(). */
export function compareTotals(
  ourDays: readonly HandedOverDay[],
  theirDays: PushTotals['days'],
  unanswered: number,
): ComparedTotals {
  const days = theirDays.map((theirs) => ({
    theirs,
    ours: ourDays.find(({ day }) => day === theirs.day) ?? NOTHING_DONE,
  }));
  const unseen = days.flatMap(({ ours, theirs }) => differencesIn(['messages'], ours, theirs));
  const taken = unseen.filter(({ ours, theirs }) => ours < theirs);
  const beyond = sum(taken.map(({ ours, theirs }) => theirs - ours));
  // The messages that only they have may be our sends of unknown fate, if they are no more than these.
  const mayBeOurs = beyond <= unanswered ? taken : [];
  const behind = sum(days.map(({ ours, theirs }) => Math.max(0, theirs.final.messages - ours.final)));
  const open = sum(days.map(({ theirs }) => theirs.total.messages - theirs.final.messages));
  const byHand = sum(days.map(({ ours }) => ours.byHand));
  return {
    ours: sumOf(days.map(({ ours }) => ours)),
    theirs: sumOf(days.map(({ theirs }) => totalsOfDay(theirs))),
    differs: [
      ...unseen.filter((one) => !mayBeOurs.includes(one)),
      ...days.flatMap(({ ours, theirs }) => finalDifferences(ours, theirs)),
    ],
    open: [
      ...counted(open, 'messages have no final result yet'),
      ...counted(behind, 'are final there, and not here yet'),
      ...counted(mayBeOurs.length === 0 ? 0 : beyond, 'taken there may be sends of unknown fate here'),
      ...counted(byHand, 'were resolved by hand here, and are not compared'),
      ...counted(days.filter(({ theirs }) => !theirs.whole).length, 'days are partly gone there'),
    ],
  };
}

function counted(number: number, what: string): string[] {
  return number === 0 ? [] : [`${number} ${what}`];
}

function totalsOfDay({
  total,
  final: { messages: final, target, sent, failed, unknown },
}: PushDay): SideTotals {
  return { messages: total.messages, final, target, sent, failed: failed + unknown };
}

/** There are none on a day that is partly gone there. */
function differencesIn(terms: readonly Term[], ours: HandedOverDay, theirDay: PushDay): Difference[] {
  const theirs = totalsOfDay(theirDay);
  return terms
    .filter((term) => theirDay.whole && ours[term] !== theirs[term])
    .map((term) => ({ day: theirDay.day, term, ours: ours[term], theirs: theirs[term] }));
}

/**
 * A message is final here because it was final there. So more final messages here are a fault. If there are as many, they are the
 * same messages, and their devices must agree. If there are fewer, we have not asked about the others yet, or an operator resolved
 * them.
 */
function finalDifferences(ours: HandedOverDay, theirs: PushDay): Difference[] {
  if (ours.final < theirs.final.messages) return [];
  return differencesIn(ours.final > theirs.final.messages ? ['final'] : TERMS.slice(2), ours, theirs);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

function sumOf(all: readonly SideTotals[]): SideTotals {
  const sums = TERMS.map((term) => [term, sum(all.map((one) => one[term]))]);
  return Object.fromEntries(sums) as SideTotals;
}

/**
 * The differences of the second reading that the first one had too: figures move between two requests, and a difference that is not
 * the same in both is open.
 */
export function inBothReadings(first: ComparedTotals, second: ComparedTotals): ComparedTotals {
  const name = ({ day, term, ours, theirs }: Difference): string => `${day} ${term} ${ours - theirs}`;
  const before = new Set(first.differs.map(name));
  const differs = second.differs.filter((one) => before.has(name(one)));
  return {
    ...second,
    differs,
    open: [
      ...second.open,
      ...counted(second.differs.length - differs.length, 'figures moved while they were read'),
    ],
  };
}
