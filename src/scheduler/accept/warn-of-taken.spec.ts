import { expect, it } from 'vitest';
import { aCampaign } from '../../../test/support/planning/planning.js';
import { NOTHING_SEEN } from './parse/parse-event.js';
import { WarnOfTaken } from './warn-of-taken.js';
import type { Verdict } from './write-batch.js';

const seen = NOTHING_SEEN;
const taken = (campaignId: string): Verdict => ({
  kind: 'accepted',
  seen,
  event: 'e',
  campaign: campaignId,
  toPlan: aCampaign({ kind: 'now' }, { campaignId }),
});
const NOBODY = { code: 'NOBODY', text: '', pointer: '' } as const;

function warner(warnings: (campaignId: string) => Promise<(typeof NOBODY)[]>, stepMs = 0) {
  const logged: unknown[] = [];
  let elapsed = 0;
  const warn = new WarnOfTaken(
    {
      warnings: ({ campaignId }) => {
        elapsed += stepMs;
        return warnings(campaignId);
      },
    },
    { elapsed: () => elapsed },
    { warn: (...line: unknown[]) => void logged.push(line) },
  );
  return { warn, logged };
}

it('asks for each campaign that was taken, and for nothing else', async () => {
  const { warn } = warner(async () => [NOBODY]);
  const verdicts: Verdict[] = [
    taken('a'),
    { kind: 'accepted', seen, event: 'e', campaign: 'canceled', toPlan: null },
    { kind: 'rejected', seen, event: 'e', rejection: 'r', reasons: [] },
    { kind: 'duplicate', seen, event: 'e', ofEvent: 'e', campaign: null },
    taken('b'),
  ];
  expect(await warn.of(verdicts)).toEqual([[NOBODY], [], [], [], [NOBODY]]);
});

it('begins no dry run a second after the first', async () => {
  const { warn } = warner(async () => [], 400);
  expect(await warn.of(['a', 'b', 'c', 'd', 'e'].map(taken))).toEqual([[], [], [], null, null]);
});

it('knows none of a campaign whose dry run fails, goes on to the next, and logs it', async () => {
  const { warn, logged } = warner(async (campaignId) => {
    if (campaignId === 'bad') throw new Error('no such zone');
    return [NOBODY];
  });
  expect(await warn.of([taken('bad'), taken('good')])).toEqual([null, [NOBODY]]);
  expect(logged).toMatchObject([[{ campaign: 'bad' }, expect.any(String)]]);
});
