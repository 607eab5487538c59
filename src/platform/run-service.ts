// Runs a service as a process: reads its configuration from the environment, logs one line for what prevents its start, and ends
// it by a signal. Holds no business words.
import { Command } from 'commander';
import { ConfigError } from './env.js';
import type { Log } from './logging/log.js';

/** Prints all faults of an unusable configuration and ends the process with 2. */
export function configOrExit<Config>(read: () => Config): Config {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n.env.example lists every setting.\n`);
    return process.exit(2);
  }
}

/** A flag of a service. It is another name for a setting of its environment. */
interface Flag {
  readonly flag: string;
  readonly does: string;
}

/**
 * Reads the arguments of a service and returns the flags that were given. `--help` prints what it takes and ends the process with
 * 0. An argument that it does not take ends the process with 2: otherwise the service would start without what the caller meant.
 */
export function argumentsOrExit(
  { name, description, flags = [] }: { name: string; description: string; flags?: readonly Flag[] },
  args: readonly string[],
): string[] {
  const command = new Command(name)
    .description(`${description}. Its settings are environment variables: .env.example lists every one.`)
    .allowExcessArguments(false)
    .showHelpAfterError('(add --help for what it takes)')
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  for (const { flag, does } of flags) command.option(flag, does);
  command.parse(args, { from: 'user' });
  const given: Readonly<Record<string, unknown>> = command.opts();
  return flags.map(({ flag }) => flag).filter((flag) => given[flag.replace(/^--/, '')] === true);
}

export interface ServiceRun {
  readonly log: Log;
  /** For the log: "the scheduler". */
  readonly name: string;
  readonly open: () => Promise<{ close(): Promise<void> }>;
  /** The setting for a port that is taken. */
  readonly portKnob: (port: number | undefined) => string;
  /** The settings for the addresses to listen on. */
  readonly hostKnobs: string;
  /** The process ends so long after the signal, real milliseconds, whatever still runs [never]. */
  readonly drainMs?: number;
}

/**
 * Opens the service. SIGTERM or SIGINT drains it and ends the process with 0, even while it still opens. A second signal ends the
 * process with 1. So does a drain or a start that fails.
 */
export async function runService(run: ServiceRun): Promise<void> {
  const { log, drainMs } = run;
  const opened = run.open();
  let signals = 0;
  const end = (signal: NodeJS.Signals): void => {
    signals += 1;
    if (signals > 1) process.exit(1);
    log.info({ signal }, 'draining');
    if (drainMs !== undefined) {
      setTimeout(() => {
        log.warn('the drain took too long: the leases of what still ran will end by themselves');
        process.exit(0);
      }, drainMs).unref();
    }
    opened
      .then((service) => service.close())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'the drain failed');
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  try {
    await opened;
  } catch (error) {
    log.fatal({ err: error }, startFault(error, run));
    process.exit(1);
  }
}

/** What went wrong before the service was up, and what to do about it, where that is known. */
function startFault(error: unknown, { name, portKnob, hostKnobs }: ServiceRun): string {
  const { code, port } = (error instanceof Error ? error : {}) as { code?: string; port?: number };
  if (code === 'EADDRINUSE')
    return `port ${port} is taken: end what listens there, or set ${portKnob(port)} (0 takes a free one)`;
  if (code === 'EADDRNOTAVAIL') return `${hostKnobs} is not an address of this machine`;
  return `${name} could not start`;
}
