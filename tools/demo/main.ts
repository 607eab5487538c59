// `npm run demo`: a whole Carillon on this machine, the campaigns of examples/ sent through it, and the report of what
// became of them. Exit code 0 only if every campaign ended as expected; 1 if not; 2 for wrong arguments.
import { messageOf } from '../../src/platform/logging/error-code.js';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { removeEndpoints, writeEndpoints } from '../endpoints.js';
import { House } from '../house.js';
import { HeldError } from '../process/hold.js';
import { projectRoot, stateRoot } from '../project.js';
import { loadAudience, loadExamples, Moment } from './examples.js';
import { Management } from './management.js';
import { DemoProviders } from './providers.js';
import { runCampaigns } from './run-campaigns.js';
import { seed } from './seed.js';
import { reportEnded } from './report-ended.js';
import { Terminal } from './terminal.js';
import { whatNext } from './what-next.js';

const USAGE = `npm run demo [-- options]
  --once            end after the report: exit code 0 only if every campaign ended as expected
  --idle            start everything, publish nothing, stay up
  --providers       reach devices through peers of FCM and APNs on this machine, over HTTP/2
  --examples DIR    campaigns from another folder than examples/
  --state DIR       data and logs in another folder than .carillon/demo; several demos may run then`;

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        once: { type: 'boolean', default: false },
        idle: { type: 'boolean', default: false },
        providers: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        examples: { type: 'string', default: join(projectRoot, 'examples') },
        state: { type: 'string', default: join(stateRoot, 'demo') },
      },
    });
    if (values.once && values.idle) throw new Error('--once and --idle exclude each other');
    return values;
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n\n${USAGE}\n`);
    return process.exit(2);
  }
}

const terminal = new Terminal(process.stdout, process.env);
const { say } = terminal;

async function main(): Promise<number> {
  const { once, idle, providers: isThroughProviders, help, examples, state } = readArguments();
  if (help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const stop = new AbortController();
  const interrupted = new Promise<'interrupted'>((resolve) => {
    stop.signal.addEventListener('abort', () => resolve('interrupted'));
  });
  // The listener stays: under npm one Ctrl-C arrives twice, and the second must not end this process before its services.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
  // Clients find only the default folder. A second demo beside it must not take its name.
  const endpointsFile = join(state === join(stateRoot, 'demo') ? stateRoot : state, 'endpoints.json');
  const audience = loadAudience(examples, new Moment(Date.now()));
  const providers = await DemoProviders.open(audience, isThroughProviders);
  try {
    const house = await House.open({
      stateDir: state,
      say,
      signal: stop.signal,
      pushService: providers.env,
    });
    const stopReporting = reportEnded(house, say);
    try {
      const management = new Management(house.endpoints);
      const keys = await seed(house.endpoints, audience, say);
      const serviceIds = keys.map(({ serviceId }) => serviceId);
      await providers.giveCredentials(management, serviceIds);
      const [first] = keys;
      if (first === undefined) throw new Error('audience.json names no service');
      const endpoints = { ...house.endpoints, ...first };
      writeEndpoints(endpoints, endpointsFile);
      let agreed = true;
      stop.signal.throwIfAborted();
      if (!idle) {
        // Reads the clock anew: the house took some time to start, and a reservation must still be ahead.
        const run = runCampaigns(endpoints, loadExamples(examples, new Moment(Date.now())), terminal);
        // After an interrupt its next call fails, because the house has stopped. Nobody needs that error.
        run.catch(() => undefined);
        const ended = await Promise.race([run, interrupted]);
        if (ended === 'interrupted') return 130;
        agreed = (await providers.agree(management, serviceIds, say)) && ended;
      }
      if (!idle) terminal.print(`\n${whatNext(relative(process.cwd(), endpointsFile), once)}\n`);
      if (!once) {
        say(`up until Ctrl-C; addresses, keys and tokens are in ${relative(process.cwd(), endpointsFile)}`);
        say(`  scheduler    ${endpoints.schedulerUrl}`);
        say(`  push service ${endpoints.pushUrl}, management ${endpoints.managementUrl}`);
        say(`  Kafka        ${endpoints.kafkaBrokers.join(', ') || 'none: events over HTTP'}`);
        await interrupted;
      }
      return agreed ? 0 : 1;
    } finally {
      terminal.wait('');
      say('stopping');
      stopReporting();
      removeEndpoints(endpointsFile);
      await house.close();
    }
  } finally {
    await providers.close();
  }
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
