// `npm run demo`: a whole Carillon on this machine, the campaigns of examples/ sent through it, and the report of what
// became of them; or a whole day on a fast clock. Exit code 0 only if everything ended as expected; 1 if not; 2 for wrong arguments.
import type { SystemClock } from '../../src/platform/clock.js';
import { messageOf } from '../../src/platform/logging/error-code.js';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { removeEndpoints, writeEndpoints, type Endpoints } from '../endpoints.js';
import { House } from '../house.js';
import { HeldError } from '../process/hold.js';
import { projectRoot, stateRoot } from '../project.js';
import { dayOf, type Day } from './day/day-campaigns.js';
import { clockChanges, nextDstDate } from './day/dst-night.js';
import { startFastClock } from './day/fast-clock.js';
import { runDay } from './day/run-day.js';
import { travelService, ZONES } from './day/travellers.js';
import { loadAudience, loadExamples, Moment, type DemoService } from './examples.js';
import { Management } from './management.js';
import { DemoProviders } from './providers.js';
import { runCampaigns } from './run-campaigns.js';
import { seed } from './seed.js';
import { openSignInDoor } from './sign-in-door.js';
import { reportEnded } from './report-ended.js';
import { Terminal } from './terminal.js';
import { whatNext } from './what-next.js';

const USAGE = `npm run demo [-- options]
  --once            end after the report: exit code 0 only if every campaign ended as expected
  --idle            start everything, publish nothing, stay up
  --day [DATE]      a day in two minutes, on one fast clock, and end: exit code 0 only if every zone got what its plan said;
                    by default the next date on which a clock is moved
  --providers       reach devices through peers of FCM and APNs on this machine, over HTTP/2
  --examples DIR    campaigns from another folder than examples/
  --state DIR       data and logs in another folder than .carillon/demo; several demos may run then`;

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        day: { type: 'boolean', default: false },
        once: { type: 'boolean', default: false },
        idle: { type: 'boolean', default: false },
        providers: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        examples: { type: 'string', default: join(projectRoot, 'examples') },
        state: { type: 'string', default: join(stateRoot, 'demo') },
      },
    });
    const { once, idle, providers, day } = values;
    if ([once, idle, day].filter(Boolean).length > 1 || (day && providers))
      throw new Error('--once, --idle and --day exclude each other, and --day excludes --providers');
    const [date, ...further] = positionals;
    if (further.length > 0 || (date !== undefined && !day))
      throw new Error(`${[date, ...further].join(' ')}: only --day takes a date, and only one`);
    return { ...values, day: day ? dayFrom(date) : undefined };
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n\n${USAGE}\n`);
    return process.exit(2);
  }
}

function dayFrom(date = nextDstDate(Date.now(), ZONES)): Day {
  return dayOf(date, clockChanges(date, ZONES));
}

const terminal = new Terminal(process.stdout, process.env);
const { say } = terminal;

async function main(): Promise<number> {
  const given = readArguments();
  const { day, help, examples, state } = given;
  if (help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const stop = new AbortController();
  // The listener stays: under npm one Ctrl-C arrives twice, and the second must not end this process before its services.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
  // Clients find only the default folder. A second demo beside it must not take its name.
  const endpointsFile = join(state === join(stateRoot, 'demo') ? stateRoot : state, 'endpoints.json');
  const audience =
    day === undefined ? loadAudience(examples, new Moment(Date.now())) : [travelService(day.date)];
  const providers = await DemoProviders.open(audience, given.providers);
  try {
    const began = performance.now();
    const house = await House.open({
      stateDir: state,
      say,
      signal: stop.signal,
      pushService: providers.env,
    });
    const startMs = performance.now() - began;
    try {
      return await show({ ...given, house, audience, providers, endpointsFile, startMs, stop: stop.signal });
    } finally {
      terminal.wait('');
      say('stopping');
      removeEndpoints(endpointsFile);
      await house.close();
    }
  } finally {
    await providers.close();
  }
}

interface Stage extends Omit<ReturnType<typeof readArguments>, 'providers'> {
  readonly house: House;
  readonly audience: readonly DemoService[];
  readonly providers: DemoProviders;
  readonly endpointsFile: string;
  /** How long the house took to start, real milliseconds. */
  readonly startMs: number;
  readonly stop: AbortSignal;
}

/** What an open house is opened for. Returns the exit code. */
async function show(stage: Stage): Promise<number> {
  const { house, audience, providers, endpointsFile, stop, day, once, idle } = stage;
  const interrupted = new Promise<undefined>((resolve) => {
    stop.addEventListener('abort', () => resolve(undefined));
  });
  const keys = await seed(house.endpoints, audience, say);
  const serviceIds = keys.map(({ serviceId }) => serviceId);
  await providers.giveCredentials(new Management(house.endpoints), serviceIds);
  const [first] = keys;
  if (first === undefined) throw new Error('audience.json names no service');
  const clock = day && (await clockOf(day, stage));
  const endpoints = { ...house.endpoints, ...first };
  writeEndpoints(endpoints, endpointsFile);
  const stopReporting = reportEnded(house, say);
  try {
    stop.throwIfAborted();
    const run =
      day !== undefined && clock !== undefined
        ? runDay({ endpoints, terminal, clock, day })
        : runExamples(stage, endpoints, serviceIds);
    // After an interrupt its next call fails, because the house has stopped. Nobody needs that error.
    run.catch(() => undefined);
    const agreed = await Promise.race([run, interrupted]);
    if (agreed === undefined) return 130;
    const file = relative(process.cwd(), endpointsFile);
    if (day === undefined && !idle) terminal.print(`\n${whatNext(file, once)}\n`);
    if (day === undefined && !once) {
      const door = await openSignInDoor(endpoints.dashboardUrl, endpoints.tokens.admin);
      sayWhere(endpoints, file, door.link);
      await interrupted;
      await door.close();
    }
    return agreed ? 0 : 1;
  } finally {
    stopReporting();
  }
}

function clockOf({ date, opensAt }: Day, { house, startMs }: Stage): Promise<SystemClock> {
  say(`starting both services on one fast clock, for ${date}`);
  // Half of what the house took was for databases, brokers and commands.
  return startFastClock(house, opensAt, startMs / 2);
}

async function runExamples(
  { idle, examples, providers, house }: Stage,
  endpoints: Endpoints,
  serviceIds: readonly string[],
): Promise<boolean> {
  if (idle) return true;
  // Reads the clock anew: the house took some time to start, and a reservation must still be ahead.
  const ended = await runCampaigns(endpoints, loadExamples(examples, new Moment(Date.now())), terminal);
  return (await providers.agree(new Management(house.endpoints), serviceIds, say)) && ended;
}

function sayWhere(endpoints: Endpoints, file: string, signIn: string): void {
  const { schedulerUrl, dashboardUrl, pushUrl, managementUrl, kafkaBrokers } = endpoints;
  say(`up until Ctrl-C; addresses, keys and tokens are in ${file}`);
  say(`  scheduler    ${schedulerUrl}`);
  say(`  push service ${pushUrl}, management ${managementUrl}`);
  say(`  Kafka        ${kafkaBrokers.join(', ') || 'none: events over HTTP'}`);
  say(`  dashboard    ${dashboardUrl}, signed in with one click: ${signIn}`);
}

try {
  process.exitCode = await main();
} catch (error) {
  const interrupted = error instanceof Error && error.name === 'AbortError';
  const sentence = interrupted ? 'stopped' : messageOf(error);
  process.stderr.write(
    error instanceof HeldError ? `a demo is running here already: ${sentence}\n` : `${sentence}\n`,
  );
  process.exitCode = interrupted ? 130 : 1;
}
