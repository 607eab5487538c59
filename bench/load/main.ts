// npm run bench:load — sends at a part of the rate that is measured in the same run, with a real push service, alone and
// beside people who read as much as the API gives: ledgers, lists and a large CSV, all at once. Ends with 1 when the rate
// or the lateness is not held. `--cells=n` [1 000 000] of the report; `--seconds=n` of each stretch, `--rounds=n`,
// `--share=n` of the rate, `--apart`: the API is a process of its own, as the chart has it; `--crowd=reports`: two people who
// read reports over many campaigns all the time, and nobody else; `--crowd=hostile`: another service that asks for all it can
// and reads none of it; one who reads reports is there with it and without it.
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runCarillon } from '../../tools/house/command.js';
import { freePort } from '../../tools/process/free-port.js';
import type { Program } from '../dispatch/program.js';
import { World } from '../dispatch/world.js';
import { median, report, type Finding } from '../measure.js';
import { load as signedLoad } from '../push-service/load.js';
import { openStage, type Stage } from '../push-service/stage.js';
import { manyCells } from './many-cells.js';
import { CROWDS, Readers, type Crowd, type ReadersAt, type ReadKind } from './readers.js';
import { dispatchRate, stretch, type Stretch } from './stretch.js';

// Compiled, this file lies in dist/bench/load.
const root = fileURLToPath(new URL('../../../', import.meta.url));
const { values } = parseArgs({
  options: {
    cells: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '3' },
    share: { type: 'string', default: '0.4' },
    sends: { type: 'string', default: '10000' },
    apart: { type: 'boolean', default: false },
    crowd: { type: 'string', default: 'all' },
  },
});
if (!(values.crowd in CROWDS)) throw new Error(`--crowd is one of ${Object.keys(CROWDS).join(', ')}`);
const crowd: Crowd = CROWDS[values.crowd as keyof typeof CROWDS];
const [cells, seconds, rounds, share] = [values.cells, values.seconds, values.rounds, values.share].map(
  Number,
) as [number, number, number, number];
const WORK = 'accept,plan,dispatch,follow,publish';
/** What a push service on two cores answers well within the time a call has; 64 already keep it busy. */
const IN_FLIGHT = 256;

/** The service that means harm. */
const HOSTILE = 'hostile';
const SOME = { kind: 'at least', value: 1 } as const;

const say = (words: string): void => void process.stderr.write(`${words}\n`);

interface Measured {
  readonly rate: number;
  readonly alone: readonly Stretch[];
  readonly beside: readonly Stretch[];
  readonly readers: readonly Readers[];
  /** Who is read to beside a hostile crowd. */
  readonly others: readonly Readers[];
}

/** Settings of the database, as docs/operate/sizing.md says: there is room for what is read and for what is due. */
const SETTINGS = { shared_buffers: '1GB' };

/** One user with a device: every send reaches it. */
async function oneDevice({ serviceUrl: url, account }: Stage): Promise<void> {
  await signedLoad({
    url,
    account,
    connections: 1,
    count: 1,
    method: 'POST',
    pathOf: () => 'users',
    bodyOf: () =>
      JSON.stringify({
        userId: 'reader',
        deviceType: 'GCM',
        deviceToken: 'token-reader',
        isNotificationAgreement: true,
        isAdAgreement: true,
        isNightAdAgreement: true,
      }),
    status: 201,
  });
}

async function measure(world: World, stage: Stage): Promise<Measured> {
  const { serviceId } = stage.account;
  await oneDevice(stage);
  await world.project(stage.serviceUrl, IN_FLIGHT, serviceId, stage.account);
  say(`putting down ${cells} cells`);
  const isOfHostile = values.crowd === 'hostile';
  if (isOfHostile) await world.project(stage.serviceUrl, IN_FLIGHT, HOSTILE, stage.account);
  const campaign = await manyCells(world.sql, isOfHostile ? HOSTILE : serviceId, cells);
  await world.vacuum();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const running: Program[] = [];
  try {
    const api = { SCHEDULER_PORT: String(port) };
    running.push(await world.scheduler(values.apart ? WORK : `${WORK},api`, values.apart ? {} : api));
    if (values.apart) running.push(await world.scheduler('api', api));
    const env = { DATABASE_URL: world.url, CARILLON_MASTER_KEY: world.masterKey };
    const tokenOf = async (name: string, service: string): Promise<string> => {
      const sources = service === '*' ? [] : ['--source', '/bench'];
      const made = 'tokens create --first --role admin --name'.split(' ');
      const args = [...made, name, '--service', service, ...sources];
      return ((await runCarillon({ args, env, root })) as { token: string }).token;
    };
    const token = await tokenOf('bench', '*');
    const isHostile = values.crowd === 'hostile';
    const asks = { url, campaign };
    const crowdOf: ReadersAt = isHostile
      ? { ...asks, token: await tokenOf('hostile', HOSTILE), serviceId: HOSTILE, isHostile }
      : { ...asks, token, serviceId };
    const sends = Number(values.sends);
    await dispatchRate(world, serviceId, sends);
    const rates: number[] = [];
    for (let round = 0; round < rounds; round += 1) rates.push(await dispatchRate(world, serviceId, sends));
    const rate = median(rates);
    say(`dispatched a second: ${rates.map(Math.round).join(' ')}`);
    const alone: Stretch[] = [];
    const beside: Stretch[] = [];
    const all: Readers[] = [];
    const besideCrowd: Readers[] = [];
    // Somebody who reads honestly is there with and without the hostile service: what is judged is the harm that it does.
    const honest = isHostile ? { report: 1 } : {};
    const besides = async (crowds: readonly Readers[]): Promise<Stretch> => {
      for (const each of crowds) each.begin();
      try {
        return await stretch(world, serviceId, share * rate, seconds);
      } finally {
        await Promise.all(crowds.map((each) => each.end()));
      }
    };
    for (let round = 0; round < rounds; round += 1) {
      alone.push(await besides([new Readers({ ...asks, token, serviceId }, honest)]));
      const readers = new Readers(crowdOf, crowd);
      const others = new Readers({ ...asks, token, serviceId }, honest);
      beside.push(await besides([readers, others]));
      all.push(readers);
      besideCrowd.push(others);
      say(`round ${round + 1}: alone ${shown(alone.slice(-1))}, beside readers ${shown(beside.slice(-1))}`);
      say(JSON.stringify({ ...readers.read, ...others.read }));
    }
    return { rate, alone, beside, readers: all, others: besideCrowd };
  } finally {
    for (const program of running) await program.stop();
  }
}

function shown(stretches: readonly Stretch[]): string {
  const one = ({ p50, p99, longest }: Stretch): string => [p50, p99, longest].map(Math.round).join('/');
  return `${stretches.map(one).join(' ')} ms (p50/p99/last)`;
}

function findingsOf({ rate, alone, beside, readers, others }: Measured): Finding[] {
  const asked = Object.entries(crowd).map(([kind, times]) => `${times} × ${kind}`);
  const people = `${asked.join(', ')} asked for at once and again, ${cells} cells put down${values.apart ? ', of a process of its own' : ''}`;
  const detail = `alone ${shown(alone)}; beside ${shown(beside)}`;
  return [
    {
      name: `sends taken a second at ${share} of the dispatch rate, with ${people}, against those due`,
      value: median(beside.map(({ taken, due }) => taken / due)),
      unit: '×',
      bound: { kind: 'at least', value: 0.98 },
      detail: `${Math.round(share * rate)} due a second, of ${Math.round(rate)} dispatched where all are due; without: ${alone.map(({ taken, due }) => (taken / due).toFixed(3)).join(' ')}`,
    },
    {
      name: `p99 lateness at ${share} of the dispatch rate, with ${people}, against without`,
      value: median(beside.map(({ p99 }, round) => p99 / (alone[round]?.p99 ?? Number.NaN))),
      unit: '×',
      bound: { kind: 'at most', value: 2 },
      detail,
    },
    ...(Object.keys(crowd) as ReadKind[]).map((kind) => answered(kind, readers)),
    ...(values.crowd === 'hostile' ? [{ ...answered('report', others), bound: SOME }] : []),
  ];
}

/** Who reads is answered too: shown, not judged. */
function answered(kind: ReadKind, readers: readonly Readers[]): Finding {
  const of = readers.flatMap(({ read }) => read[kind] ?? []);
  const each = (pick: (read: (typeof of)[number]) => number): string =>
    of.map((read) => Math.round(pick(read))).join(' ');
  return {
    name: `${kind}, answers in ${seconds} s`,
    value: median(of.map(({ answers }) => answers)),
    unit: 'answers',
    detail: `by round: refused ${each(({ refused }) => refused)}, broken off ${each(({ broken }) => broken)}, longest s ${each(({ longestMs }) => longestMs / 1_000)}, MB ${each(({ bytes }) => bytes / 1e6)}`,
  };
}

async function measured(world: World, stage: Stage): Promise<Measured> {
  try {
    return await measure(world, stage);
  } finally {
    await world.close();
  }
}

const load = (): string =>
  loadavg()
    .map((one) => one.toFixed(1))
    .join(' ');
const stage = await openStage({}, SETTINGS);
try {
  const before = load();
  const world = await World.open(root, stage.postgres, 'load');
  const found = await measured(world, stage);
  const command = `npm run bench:load${process.argv.length > 2 ? ` -- ${process.argv.slice(2).join(' ')}` : ''}`;
  const section = `## Load that others make\n\n\`${command}\`; ${stage.database}, shared_buffers ${SETTINGS.shared_buffers}; a push service of ours on the same machine; its load before and after: ${before}, ${load()}.`;
  if (!report(root, findingsOf(found), section)) process.exitCode = 1;
} finally {
  await stage.close();
}
