import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { firstValueFrom, from, type Observable } from 'rxjs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ListTurnsInterceptor } from './list-turns.interceptor.js';
import { OPERATION_KEY, type OperationMark } from './operation.decorator.js';

class Controller {
  list(): void {}
  one(): void {}
  large(this: void): void {}
}
const mark = { answer: undefined, summary: 'Reads much', inTurn: true } satisfies OperationMark;
Reflect.defineMetadata(OPERATION_KEY, mark, Controller.prototype.large);
const listQuery = z.object({ limit: z.string().optional(), cursor: z.string().optional() });
Reflect.defineMetadata(
  ROUTE_ARGS_METADATA,
  { [`${RouteParamtypes.QUERY}:0`]: { index: 0, schema: listQuery } },
  Controller,
  'list',
);

const calling = (name: keyof Controller, url: string): ExecutionContext =>
  ({
    getClass: () => Controller,
    getHandler: () => Controller.prototype[name],
    switchToHttp: () => ({ getRequest: () => ({ routeOptions: { url } }) }),
  }) as unknown as ExecutionContext;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Ten at once, which take 100 ms each: how many have begun when the first two are answered, and 499 and 500 ms later. */
async function begunOf(name: keyof Controller, url: string): Promise<number[]> {
  const interceptor = new ListTurnsInterceptor({
    ownerOf: () => [`service ${(owners += 1)}`],
    clock: { elapsed: () => performance.now() },
    dispatches: true,
  });
  let begun = 0;
  let owners = 0;
  const handle = (): Observable<unknown> => {
    begun += 1;
    return from(new Promise((resolve) => setTimeout(() => resolve('read'), 100)));
  };
  const answers: unknown[] = [];
  for (let asked = 0; asked < 10; asked += 1)
    void firstValueFrom(interceptor.intercept(calling(name, url), { handle })).then((answer) =>
      answers.push(answer),
    );
  const seen: number[] = [];
  for (const ms of [100, 499, 1]) {
    await vi.advanceTimersByTimeAsync(ms);
    seen.push(begun);
  }
  expect(answers.slice(0, 2)).toEqual(['read', 'read']);
  return seen;
}

it('reads two lists at a time, and rests after each five times as long as it took', async () => {
  expect(await begunOf('list', '/v1/sends')).toEqual([2, 2, 4]);
});

it('gives other reads that may be large the same turns', async () => {
  expect(await begunOf('large', '/v1/events')).toEqual([2, 2, 4]);
});

it.each([
  ['what is read by its id', 'one', '/v1/sends/:id'],
  ['reports, which have turns of their own', 'list', '/v1/reports/summary'],
] as const)('keeps nothing else waiting: %s', async (_what, name, url) => {
  expect(await begunOf(name, url)).toEqual([10, 10, 10]);
});
