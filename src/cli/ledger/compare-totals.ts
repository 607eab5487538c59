// Our ledger beside the push service's own, of one project: what it took of us and what that came to, by day of its taking. What
// no longer moves on both sides has to agree; of the rest it is said that it is open. Pure.
import { z } from 'zod';
import type { HandedOverDay } from '../../scheduler/store/send/read/handed-over.store.js';

const count = z.int().min(0);
const totals = z.object({
  messages: count,
  target: count,
  sent: count,
  failed: count,
  unknown: count,
  pending: count,
});
/** What the push service answers (push-decisions.md, "Management"). */
export const PushTotals = z.object({
  days: z.array(z.object({ day: z.string(), whole: z.boolean(), total: totals, final: totals })),
});
export type PushTotals = z.output<typeof PushTotals>;
type PushDay = PushTotals['days'][number];

/** What a side tells: `final` of the messages, and the devices of those. */
export interface Told {
  readonly messages: number;
  readonly final: number;
  readonly target: number;
  readonly sent: number;
  /** Of the push service's: failed, and of unknown fate, for we cannot tell them apart. */
  readonly failed: number;
}
const TERMS = ['messages', 'final', 'target', 'sent', 'failed'] as const satisfies readonly (keyof Told)[];

export interface Difference {
  readonly day: string;
  readonly term: keyof Told;
  readonly ours: number;
  readonly theirs: number;
}

export interface ComparedTotals {
  readonly ours: Told;
  readonly theirs: Told;
  /** What differs that no longer moves. */
  readonly differs: readonly Difference[];
  /** What is still open, in words. */
  readonly open: readonly string[];
}

const NOTHING: Told = { messages: 0, final: 0, target: 0, sent: 0, failed: 0 };
const NOTHING_DONE: HandedOverDay = { serviceId: '', day: '', ...NOTHING, byHand: 0 };

/** `untold`: sends of ours that the push service may have taken, for all we know; see handedOver(). */
export function compareTotals(
  ourDays: readonly HandedOverDay[],
  theirDays: PushTotals['days'],
  untold: number,
): ComparedTotals {
  const days = theirDays.map((theirs) => ({
    theirs,
    ours: ourDays.find(({ day }) => day === theirs.day) ?? NOTHING_DONE,
  }));
  const unseen = days.map(({ ours, theirs }) => differenceIn('messages', ours, theirs));
  const taken = unseen.flatMap((one) => (one !== undefined && one.ours < one.theirs ? [one] : []));
  const beyond = taken.reduce((sum, { ours, theirs }) => sum + theirs - ours, 0);
  // Those may be the sends that nobody knows of what became of them; more than these they cannot be.
  const mayBeOurs = beyond <= untold ? taken : [];
  const behind = days.reduce(
    (sum, { ours, theirs }) => sum + Math.max(0, theirs.final.messages - ours.final),
    0,
  );
  const open = days.reduce((sum, { theirs }) => sum + theirs.total.messages - theirs.final.messages, 0);
  const byHand = days.reduce((sum, { ours }) => sum + ours.byHand, 0);
  return {
    ours: sumOf(days.map(({ ours }) => ours)),
    theirs: sumOf(days.map(({ theirs }) => toldOf(theirs))),
    differs: [
      ...unseen.flatMap((one) => (one === undefined || mayBeOurs.includes(one) ? [] : [one])),
      ...days.flatMap(({ ours, theirs }) => finalDifferences(ours, theirs)),
    ],
    open: [
      ...told(open, 'messages have no final result yet'),
      ...told(behind, 'are final there, and not here yet'),
      ...told(mayBeOurs.length === 0 ? 0 : beyond, 'taken there may be sends of unknown fate here'),
      ...told(byHand, 'were settled by hand here, and are not compared'),
      ...told(days.filter(({ theirs }) => !theirs.whole).length, 'days are partly gone there'),
    ],
  };
}

function told(number: number, what: string): string[] {
  return number === 0 ? [] : [`${number} ${what}`];
}

function toldOf({ total, final }: PushDay): Told {
  return {
    messages: total.messages,
    final: final.messages,
    target: final.target,
    sent: final.sent,
    failed: final.failed + final.unknown,
  };
}

function differenceIn(term: keyof Told, ours: HandedOverDay, theirDay: PushDay): Difference | undefined {
  const theirs = toldOf(theirDay);
  if (!theirDay.whole || ours[term] === theirs[term]) return undefined;
  return { day: theirDay.day, term, ours: ours[term], theirs: theirs[term] };
}

/**
 * What is final here is so because it was there. So more here is wrong; as many are the same ones, whose devices are the same;
 * and of fewer the others are not asked for yet, or were settled by hand.
 */
function finalDifferences(ours: HandedOverDay, theirs: PushDay): Difference[] {
  if (ours.final < theirs.final.messages) return [];
  const compared = ours.final > theirs.final.messages ? (['final'] as const) : TERMS.slice(2);
  return compared.flatMap((term) => differenceIn(term, ours, theirs) ?? []);
}

function sumOf(all: readonly Told[]): Told {
  return all.reduce(
    (sum, one) => Object.fromEntries(TERMS.map((term) => [term, sum[term] + one[term]])) as unknown as Told,
    NOTHING,
  );
}

/**
 * Those of the second reading that were so in the first: between two questions things go on, and what was not the same
 * in both is open.
 */
export function lasting(first: ComparedTotals, second: ComparedTotals): ComparedTotals {
  const name = ({ day, term, ours, theirs }: Difference): string => `${day} ${term} ${ours - theirs}`;
  const before = new Set(first.differs.map(name));
  const differs = second.differs.filter((one) => before.has(name(one)));
  return {
    ...second,
    differs,
    open: [
      ...second.open,
      ...told(second.differs.length - differs.length, 'figures moved while they were read'),
    ],
  };
}
