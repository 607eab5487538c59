// Which callers get the tokens of a statement, and how often it is made.
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { SystemClock } from '../../../platform/clock.js';
import type { Sql } from '../../../platform/database/database.js';
import { SharedRate } from './shared-rate.js';
import { TokenBucket } from './token-bucket.js';

/** A database whose statements grant these numbers of tokens to each wish, one number for each statement, then 0. */
function rateOf(...grants: number[]) {
  const asked: [serviceIds: string[], wanted: number[]][] = [];
  const query = (_: string, [serviceIds, wanted]: [string[], number[]]): Promise<unknown> => {
    asked.push([serviceIds, wanted]);
    const granted = grants.shift();
    if (granted === undefined) return Promise.reject(new Error('the connection was lost'));
    return Promise.resolve(serviceIds.map((serviceId) => ({ serviceId, granted, rate: 1, waitMs: 0 })));
  };
  const sql = { query } as unknown as Sql;
  const log = pino({ level: 'silent' });
  return { asked, rate: new SharedRate({ sql, clock: new SystemClock(), log }, 'sends') };
}

it('callers that begin to wait at once share a statement, and get tokens in order', async () => {
  const { asked, rate } = rateOf(2, 0);
  const [shop, news] = [new TokenBucket('shop'), new TokenBucket('news')];
  const served: string[] = [];
  const take = (bucket: TokenBucket, name: string): Promise<void> =>
    rate.take(bucket, 1).then((had) => void served.push(`${name} ${had}`));
  await Promise.all([take(shop, 'a'), take(shop, 'b'), take(shop, 'c'), take(news, 'd')]);
  expect(asked[0]).toEqual([
    ['shop', 'news'],
    [3, 1],
  ]);
  expect(served.filter((one) => !one.startsWith('d'))).toEqual(['a true', 'b true', 'c false']);
  expect(served).toContain('d true');
  await rate.stop();
});

it('a caller gets none if the database fails, and if the process ends', async () => {
  const { rate } = rateOf();
  expect(await rate.take(new TokenBucket('shop'), 0)).toBe(false);
  const waits = rate.take(new TokenBucket('news'), 60_000);
  await rate.stop();
  expect(await waits).toBe(false);
});

it('tokens are asked for ahead one statement at a time, and only if some are wanted', async () => {
  const { asked, rate } = rateOf(5, 5);
  const [shop, news] = [new TokenBucket('shop'), new TokenBucket('news')];
  rate.askAhead(
    () => [[shop, 0]],
    () => undefined,
  );
  expect(asked).toEqual([]);
  await new Promise<void>((came) => {
    rate.askAhead(
      () => [
        [shop, 0],
        [news, 5],
      ],
      came,
    );
    rate.askAhead(
      () => [[shop, 5]],
      () => undefined,
    );
  });
  expect(asked).toEqual([[['news'], [5]]]);
  expect(news.left(new SystemClock().elapsed())).toBe(5);
});
