// What a soak watches while it goes on: the memory of each process, and how late sends were outside of what was done to them.
import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';

const PAGE_BYTES = 4_096;
const SAMPLE_MS = 5_000;
/** Memory that a process takes in its first time does not count as growth; milliseconds. */
const WARM_MS = 120_000;
/** Shorter lives are not judged: their garbage is more than what stays, by up to half of a process, up or down; milliseconds. */
const LEAST_LIFE_MS = 5 * 60_000;

interface Sample {
  readonly at: number;
  readonly bytes: number;
}

/** Growth over one life of a process, from when it was warm. */
export interface Growth {
  readonly name: string;
  readonly minutes: number;
  readonly startMb: number;
  readonly endMb: number;
  /** Least squares. */
  readonly mbPerMinute: number;
}

export class MemoryWatch {
  readonly #lives = new Map<string, Sample[]>();
  readonly #timer: NodeJS.Timeout;

  /** `pids` by name: asked anew each time, for processes are started anew. */
  constructor(pids: () => Readonly<Record<string, number>>) {
    const sample = (): void => {
      for (const [name, pid] of Object.entries(pids())) this.#sample(`${name} ${pid}`, pid);
    };
    this.#timer = setInterval(sample, SAMPLE_MS);
  }

  /** Ends the watch. Returns the growth of every life that was long enough to judge. */
  end(): Growth[] {
    clearInterval(this.#timer);
    return [...this.#lives].flatMap(([name, samples]) => growthOf(name, samples) ?? []);
  }

  #sample(life: string, pid: number): void {
    const samples = this.#lives.get(life) ?? [];
    this.#lives.set(life, samples);
    try {
      const [, resident = ''] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
      samples.push({ at: performance.now(), bytes: Number(resident) * PAGE_BYTES });
    } catch {
      // It is being started anew.
    }
  }
}

function growthOf(name: string, samples: readonly Sample[]): Growth | undefined {
  const [first] = samples;
  if (first === undefined) return undefined;
  const warm = samples.filter(({ at }) => at - first.at >= WARM_MS);
  const [start, end] = [warm[0], warm.at(-1)];
  if (start === undefined || end === undefined || end.at - start.at < LEAST_LIFE_MS) return undefined;
  const meanAt = warm.reduce((sum, { at }) => sum + at, 0) / warm.length;
  const meanBytes = warm.reduce((sum, { bytes }) => sum + bytes, 0) / warm.length;
  let [above, below] = [0, 0];
  for (const { at, bytes } of warm) {
    above += (at - meanAt) * (bytes - meanBytes);
    below += (at - meanAt) ** 2;
  }
  return {
    name,
    minutes: (end.at - start.at) / 60_000,
    startMb: start.bytes / 1e6,
    endMb: end.bytes / 1e6,
    mbPerMinute: (above / below) * (60_000 / 1e6),
  };
}

export interface Lateness {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

/** The lateness of sends that were due from `from` to `to` by the schedulers' clock: milliseconds between due and answer. */
export async function latenessOf(scheduler: Pool, from: number, to: number): Promise<Lateness> {
  const { rows } = await scheduler.query<Lateness>(
    `select count(*)::float8 as count, percentile_cont(0.5) within group (order by late) as p50,
            percentile_cont(0.99) within group (order by late) as p99, max(late) as longest
       from (select extract(epoch from answered_at - due_at)::float8 * 1000 as late from send
              where due_at >= $1 and due_at < $2 and answered_at is not null) l`,
    [new Date(from), new Date(to)],
  );
  const [found] = rows;
  if (found === undefined) throw new Error('the lateness of a stretch has no row');
  return found;
}
