// Uploaded lists: ten million rows streamed in, against COPY of the same file by the server itself; and a campaign to a million ids
// in 40 zones, from the event to planned rows, with the memory and the event loop of the process that does both.
import { createReadStream, openSync, writeSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { once } from 'node:events';
import { Readable, type Writable } from 'node:stream';
import { Client, type Submittable } from 'pg';
import { SystemClock } from '../../src/platform/clock.js';
import type { PooledDatabase } from '../../src/platform/database/pooled-database.js';
import { WorkerPool } from '../../src/platform/workers/worker-pool.js';
import { UploadList } from '../../src/scheduler/audience/lists/upload-list.js';
import { PlanMaker } from '../../src/scheduler/plan/plan-maker.js';
import { loadZoneRules } from '../../src/zone-rules/load-zone-rules.js';
import { timedAsync, type Finding } from '../measure.js';
import { eventOf, planner, SERVICE, withDatabase, type BenchDatabase } from './pipeline.js';

const UPLOADED = 10_000_000;
const PLANNED = 1_000_000;
const ZONES = 40;

export function lists(): Promise<Finding[]> {
  return withDatabase(6, async (database) => [
    ...(await planMillion(database.dataSource)),
    ...(await uploadTenMillion(database)),
  ]);
}

const rules = loadZoneRules({ directory: process.env['TZDATA_DIR'] });
const zones = rules
  .names()
  .filter((name) => name.includes('/'))
  .toSorted()
  .filter((_, index) => index % 10 === 0)
  .slice(0, ZONES);

function* rowsOf(count: number): Generator<Buffer> {
  const PIECE = 2_000;
  for (let first = 0; first < count; first += PIECE) {
    let text = '';
    for (let index = first; index < Math.min(count, first + PIECE); index += 1)
      text += `user-${(index * 7_919) % 100_000_007},${zones[index % ZONES]}\n`;
    yield Buffer.from(text);
  }
}

/** What the process takes while `work` runs: memory beyond what it had, and the longest that the event loop was held. */
async function watched<Result>(work: () => Promise<Result>) {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => void (most = Math.max(most, process.memoryUsage().rss)), 50);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const started = performance.now();
  const result = await work();
  const ms = performance.now() - started;
  delay.disable();
  clearInterval(timer);
  return { result, ms, megabytes: (most - before) / 1e6, heldMs: delay.max / 1e6 - 5 };
}

function uploader(dataSource: PooledDatabase): UploadList {
  return new UploadList({ database: dataSource, clock: new SystemClock(), rules });
}

async function put(uploads: UploadList, name: string, body: Readable): Promise<number> {
  const end = await uploads.put(
    { serviceId: SERVICE, name, by: 'bench', expiresInDays: 90 },
    { body, format: 'csv', packing: undefined },
  );
  if (end.kind !== 'taken') throw new Error(`the upload ended as ${JSON.stringify(end)}`);
  return end.list.rows;
}

async function planMillion(dataSource: PooledDatabase): Promise<Finding[]> {
  await put(uploader(dataSource), 'million', Readable.from(rowsOf(PLANNED)));
  const pool = new WorkerPool({ threads: 2, heapMb: 256, jobMs: 20_000 });
  const plan = planner(dataSource, rules, new PlanMaker({ rules, pool }));
  const planOne = (id: string) => (): Promise<void> =>
    plan(eventOf(id, { audience: { type: 'USER', list: 'million' } }));
  // The first warms the thread and the caches.
  await planOne('warm')();
  const { ms, megabytes, heldMs } = await watched(planOne('million'));
  const [planned] = await dataSource.query<{ ids: number }>(
    `select sum(cardinality(r.recipients))::int as ids from send s join send_recipients r on r.send = s.id
       join campaign c on c.id = s.campaign where c.campaign_id = 'million'`,
  );
  if (planned?.ids !== PLANNED) throw new Error(`${planned?.ids} ids were planned`);
  await pool.close();
  const what = `a campaign to a list of ${PLANNED} ids in ${ZONES} zones, event to planned rows`;
  const detail = `${Math.round(ms)} ms`;
  return [
    {
      name: what,
      value: PLANNED / (ms / 1_000),
      unit: 'ids/s',
      bound: { kind: 'at least', value: 100_000 },
      detail,
    },
    {
      name: `${what}: more memory`,
      value: megabytes,
      unit: 'MB',
      bound: { kind: 'at most', value: 400 },
      detail,
    },
    {
      name: `${what}: event loop held`,
      value: heldMs,
      unit: 'ms',
      bound: { kind: 'at most', value: 100 },
      detail,
    },
  ];
}

async function uploadTenMillion({ dataSource, url, folder }: BenchDatabase): Promise<Finding[]> {
  const file = join(folder, 'list.csv');
  const out = openSync(file, 'w', 0o644);
  for (const piece of rowsOf(UPLOADED)) writeSync(out, piece);
  closeSync(out);
  const client = new Client({ connectionString: url });
  await client.connect();
  const copied = async (table: string, columns: string): Promise<number> => {
    await client.query(`create table ${table} (${columns})`);
    const ms = await timedAsync(() => copyIn(client, `copy ${table} from stdin (format csv)`, file));
    await client.query(`drop table ${table}`);
    return ms;
  };
  const plain = await copied('plain', 'user_id text, zone text');
  const unique = await copied('keyed', 'user_id text primary key, zone text');
  await client.end();
  const small = await watched(() => put(uploader(dataSource), 'small', Readable.from(rowsOf(PLANNED))));
  const { ms, megabytes, heldMs, result } = await watched(() =>
    put(uploader(dataSource), 'large', createReadStream(file)),
  );
  if (result !== UPLOADED) throw new Error(`${result} rows were kept`);
  const what = `an upload of ${UPLOADED} rows, each id kept once`;
  const detail = `ours ${Math.round(ms)} ms, COPY ${Math.round(plain)} ms, COPY with a primary key ${Math.round(unique)} ms`;
  return [
    {
      name: `${what}, against COPY into a table without an index`,
      value: plain / ms,
      unit: '×',
      detail,
    },
    {
      name: `${what}, against COPY into a table with a primary key`,
      value: unique / ms,
      unit: '×',
      bound: { kind: 'at least', value: 0.5 },
      detail,
    },
    {
      name: `${what}: more memory`,
      value: megabytes,
      unit: 'MB',
      bound: { kind: 'at most', value: 400 },
      detail: `${Math.round(small.megabytes)} MB for ${PLANNED} rows`,
    },
    {
      name: `${what}: event loop held`,
      value: heldMs,
      unit: 'ms',
      bound: { kind: 'at most', value: 100 },
      detail,
    },
  ];
}

/** As psql does it: the file streams to the server, which reads it as CSV. */
function copyIn(client: Client, text: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = async (connection: CopyConnection): Promise<void> => {
      for await (const piece of createReadStream(file, { highWaterMark: 1 << 16 })) {
        connection.sendCopyFromChunk(piece as Buffer);
        if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain');
      }
      connection.endCopyFrom();
    };
    client.query({
      submit: (connection: CopyConnection) => connection.query(text),
      handleCopyInResponse: (connection: CopyConnection) => void stream(connection).catch(reject),
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => resolve(),
      handleError: reject,
    } as unknown as Submittable);
  });
}

/** What the driver's connection has beside what its types say. */
interface CopyConnection {
  readonly stream: Writable;
  query(text: string): void;
  sendCopyFromChunk(piece: Buffer): void;
  endCopyFrom(): void;
}
