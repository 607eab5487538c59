// Items that come at the same time go together, an item that comes alone goes at once, and no item fails or waits because of
// another.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { GroupedStatement, GroupLateError, GroupsFullError } from './grouped-statement.js';

/** Long enough never to be over in a test. */
const PATIENT_MS = 60_000;

/** A statement whose rounds are ended by hand; answers each item doubled. */
class Rounds {
  readonly asked: (readonly number[])[] = [];
  readonly #ends: ((error?: Error) => void)[] = [];

  readonly run = (items: readonly number[]): Promise<number[]> => {
    this.asked.push(items);
    return new Promise((resolve, reject) => {
      this.#ends.push((error) =>
        error === undefined ? resolve(items.map((item) => item * 2)) : reject(error),
      );
    });
  };

  /** Ends the oldest running round, and resolves once all that follows from it has begun. */
  async end(error?: Error): Promise<void> {
    this.#ends.shift()?.(error);
    await turn();
  }
}

const failing = (code: string): Error => Object.assign(new Error(code), { code, severity: 'ERROR' });

function grouped(workers = 1, groupWeight = 100, waitingWeight = 1_000) {
  const rounds = new Rounds();
  const statement = new GroupedStatement({
    run: rounds.run,
    workers,
    weightOf: (item: number) => item,
    groupWeight,
    waitingWeight,
  });
  const ask = (item: number, withinMs = PATIENT_MS) => statement.ask(item, withinMs);
  return { rounds, ask };
}

it('asks for one that comes alone at once, and for what comes meanwhile together', async () => {
  const { rounds, ask } = grouped();
  const first = ask(1);
  await turn();
  expect(rounds.asked).toEqual([[1]]);
  const later = [ask(2), ask(3)];
  await turn();
  const last = ask(4);
  expect(rounds.asked).toEqual([[1]]);
  await rounds.end();
  expect(await first).toBe(2);
  expect(rounds.asked).toEqual([[1], [2, 3, 4]]);
  await rounds.end();
  expect(await Promise.all([...later, last])).toEqual([4, 6, 8]);
});

it('has no more groups under way than workers', async () => {
  const { rounds, ask } = grouped(2);
  const asked = [];
  for (const item of [1, 2, 3, 4]) {
    asked.push(ask(item));
    await turn();
  }
  expect(rounds.asked).toEqual([[1], [2]]);
  for (let round = 0; round < 3; round += 1) await rounds.end();
  expect(rounds.asked).toEqual([[1], [2], [3, 4]]);
  expect(await Promise.all(asked)).toEqual([2, 4, 6, 8]);
});

it('makes no group heavier than it may be, but for an item that is so alone', async () => {
  const { rounds, ask } = grouped(1, 10);
  const asked = [4, 6, 1, 20, 2].map((item) => ask(item));
  await turn();
  for (let round = 0; round < 4; round += 1) await rounds.end();
  expect(rounds.asked).toEqual([[4, 6], [1], [20], [2]]);
  expect(await Promise.all(asked)).toEqual([8, 12, 2, 40, 4]);
});

it('refuses what comes when too much waits; what has begun waits no more', async () => {
  const { rounds, ask } = grouped(1, 10, 10);
  const taken = [ask(10)];
  await expect(ask(1)).rejects.toThrow(GroupsFullError);
  await turn();
  taken.push(ask(1), ask(9));
  await expect(ask(1)).rejects.toThrow(GroupsFullError);
  await rounds.end();
  await rounds.end();
  expect(await Promise.all(taken)).toEqual([20, 2, 18]);
});

it('lets what the database refuses fail alone', async () => {
  const { rounds, ask } = grouped();
  const asked = [1, 2, 3, 4].map((item) => ask(item).catch((error: unknown) => error));
  await turn();
  const refusal = failing('22021');
  await rounds.end(refusal);
  for (;;) {
    const group = rounds.asked.at(-1) ?? [];
    await rounds.end(group.includes(3) ? refusal : undefined);
    if (rounds.asked.at(-1) === group) break;
  }
  expect(await Promise.all(asked)).toEqual([2, 4, refusal, 8]);
  expect(rounds.asked).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [4]]);
});

it.each(['57P01', '40P01', 'ECONNREFUSED', '42703'])(
  'rejects all of a group that it failed with %s',
  async (code) => {
    const { rounds, ask } = grouped();
    const asked = [1, 2].map((item) => ask(item));
    const after = Promise.allSettled(asked);
    await turn();
    await rounds.end(failing(code));
    expect((await after).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(rounds.asked).toHaveLength(1);
    // And goes on.
    const next = ask(3);
    await turn();
    await rounds.end();
    expect(await next).toBe(6);
  },
);

it('gives up an item whose time is over: before its group begins it is never asked for', async () => {
  const { rounds, ask } = grouped();
  const first = ask(1, 5);
  await turn();
  const patient = ask(2);
  const hasty = ask(3, 5);
  await expect(first).rejects.toThrow(GroupLateError);
  await expect(hasty).rejects.toThrow('did not answer within 5 ms');
  await rounds.end();
  await rounds.end();
  expect(await patient).toBe(4);
  expect(rounds.asked).toEqual([[1], [2]]);
});
