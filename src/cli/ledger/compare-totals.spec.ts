import { describe, expect, it } from 'vitest';
import { compareTotals, inBothReadings, type PushTotals } from './compare-totals.js';

const DAY = '2027-03-01';
const NONE = { messages: 0, target: 0, sent: 0, failed: 0, unknown: 0, pending: 0 };

type Counts = Partial<typeof NONE>;
function theirs(final: Counts, open: Counts = {}, day = DAY, whole = true): PushTotals['days'][number] {
  const [ended, rest] = [final, open].map((counts) => ({ ...NONE, ...counts }));
  if (ended === undefined || rest === undefined) throw new Error('two are given');
  const total = Object.fromEntries(
    Object.keys(NONE).map((name) => [
      name,
      ended[name as keyof typeof NONE] + rest[name as keyof typeof NONE],
    ]),
  ) as typeof NONE;
  return { day, whole, total, final: ended };
}
const ours = (counts: object, day = DAY) => ({
  serviceId: 'shop',
  day,
  messages: 0,
  final: 0,
  target: 0,
  sent: 0,
  failed: 0,
  byHand: 0,
  ...counts,
});
const FINAL = { messages: 2, target: 10, sent: 7, failed: 2, unknown: 1 };
const SAME = { messages: 2, final: 2, target: 10, sent: 7, failed: 3 };

describe('our ledger beside the push service’s', () => {
  it('agrees where both count the same: what failed here is failed or unknown there', () => {
    const seen = compareTotals([ours(SAME)], [theirs(FINAL), theirs({}, {}, '2027-03-02')], 0);
    expect(seen).toEqual({
      ours: SAME,
      theirs: { messages: 2, final: 2, target: 10, sent: 7, failed: 3 },
      differs: [],
      open: [],
    });
  });

  it.each([
    ['a device more here', { ...SAME, target: 11, sent: 8 }, ['target 11 10', 'sent 8 7']],
    ['a failure less here', { ...SAME, failed: 2 }, ['failed 2 3']],
    ['a message that was never taken', { ...SAME, messages: 3 }, ['messages 3 2']],
    ['an end that is none there', { ...SAME, messages: 3, final: 3 }, ['messages 3 2', 'final 3 2']],
    ['a message that no send here has', { ...SAME, messages: 1, final: 1 }, ['messages 1 2']],
  ])('reports %s', (_, counts, expected) => {
    const { differs } = compareTotals([ours(counts)], [theirs(FINAL)], 0);
    expect(differs.map((one) => `${one.term} ${one.ours} ${one.theirs}`)).toEqual(expected);
  });

  it('says on which day, though the days together would agree', () => {
    const days = [theirs(FINAL), theirs(FINAL, {}, '2027-03-02')];
    const seen = compareTotals(
      [ours({ ...SAME, sent: 8 }), ours({ ...SAME, sent: 6 }, '2027-03-02')],
      days,
      0,
    );
    expect(seen.ours).toEqual(seen.theirs);
    expect(seen.differs.map(({ day }) => day)).toEqual([DAY, '2027-03-02']);
  });

  it('calls open what is not asked for yet, not final there, of unknown fate or resolved by hand', () => {
    const behind = { messages: 2, final: 1, target: 5, sent: 5 };
    expect(compareTotals([ours(behind)], [theirs(FINAL)], 0)).toMatchObject({
      differs: [],
      open: ['1 are final there, and not here yet'],
    });
    const open = theirs(FINAL, { messages: 1, target: 3, sent: 1, pending: 2 });
    expect(compareTotals([ours({ ...SAME, messages: 3 })], [open], 0)).toMatchObject({
      differs: [],
      open: ['1 messages have no final result yet'],
    });
    expect(compareTotals([ours({ ...SAME, messages: 1, final: 1 })], [theirs(FINAL)], 1)).toMatchObject({
      differs: [],
      open: ['1 are final there, and not here yet', '1 taken there may be sends of unknown fate here'],
    });
    expect(compareTotals([ours({ ...behind, byHand: 1 })], [theirs(FINAL)], 0)).toMatchObject({
      differs: [],
    });
  });

  it('takes no more for sends of unknown fate than there are', () => {
    const { differs, open } = compareTotals([], [theirs(FINAL)], 1);
    expect([differs.length, open]).toEqual([1, ['2 are final there, and not here yet']]);
  });

  it('compares no day that is partly gone', () => {
    expect(compareTotals([ours(SAME)], [theirs({}, {}, DAY, false)], 0)).toMatchObject({
      differs: [],
      open: ['1 days are partly gone there'],
    });
  });

  it('holds against nobody what was otherwise a moment before', () => {
    const of = (sent: number, failed = 3) =>
      compareTotals([ours({ ...SAME, sent, failed })], [theirs(FINAL)], 0);
    expect(inBothReadings(of(8, 4), of(8, 3))).toMatchObject({ differs: [{ term: 'sent' }], open: [] });
    expect(inBothReadings(of(8), of(9))).toMatchObject({
      differs: [],
      open: ['1 figures moved while they were read'],
    });
  });
});
