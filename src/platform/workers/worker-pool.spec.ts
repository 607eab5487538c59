// A job that takes too much ends alone: the process, its event loop and the jobs after it go on.
import { afterAll, describe, expect, it } from 'vitest';
import type * as jobs from '../../../test/support/spec-jobs.worker.js';
import { WorkLimitError } from './worker-errors.js';
import { WorkerPool, type WorkerJob } from './worker-pool.js';

const module = new URL('../../../test/support/spec-jobs.worker.js', import.meta.url);
const job = <Name extends keyof typeof jobs>(
  name: Name,
): WorkerJob<Parameters<(typeof jobs)[Name]>[0], ReturnType<(typeof jobs)[Name]>> => ({ module, name });

describe('a pool of threads', () => {
  const pool = new WorkerPool({ threads: 1, heapMb: 64, jobMs: 60_000 });
  const hasty = new WorkerPool({ threads: 1, heapMb: 64, jobMs: 1 });
  afterAll(() => Promise.all([pool.close(), hasty.close()]));

  it('answers with what the job returns, its buffers handed over', async () => {
    expect(await pool.run(job('doubled'), 21, ['spec'])).toBe(42);
    expect(await pool.run(job('bytes'), 3, ['spec'])).toEqual(new Uint8Array([7, 7, 7]));
  });

  it('throws what the job throws', async () => {
    await expect(pool.run(job('failing'), 'on purpose', ['spec'])).rejects.toThrow('on purpose');
  });

  it('ends a job that fills its heap, and runs the next', async () => {
    await expect(pool.run(job('hoarding'), 0, ['spec'])).rejects.toThrow(WorkLimitError);
    expect(await pool.run(job('doubled'), 4, ['spec'])).toBe(8);
  });

  it('ends a job that does not come to an end, while the event loop goes on', async () => {
    await expect(hasty.run(job('endless'), 0, ['spec'])).rejects.toThrow(WorkLimitError);
  });
});
