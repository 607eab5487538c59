// carillon publish: gives events to the intake, over HTTP or Kafka, and says in plain words what became of each.
import { SystemClock } from '../../platform/clock.js';
import type { NobodyCode } from '../../scheduler/decide/lifecycle/attention.js';
import { print, type JsonOption } from '../shell/output.js';
import { placeholderHint } from '../shell/placeholders.js';
import { UsageError } from '../shell/usage-error.js';
import { awaitVerdicts, knownBefore, namesOf } from './await-verdicts.js';
import { followCampaigns, problemLines, type Outcome } from './follow-campaigns.js';
import { readEvents, type EventJson } from './read-events.js';
import { SchedulerClient, type PublishedEvent } from './scheduler-client.js';
import { kafkaOf, sendToKafka } from './send-to-kafka.js';
import { Waiting } from './wait-between.js';

export interface PublishOptions extends JsonOption {
  /** Brokers, or true for those of KAFKA_BROKERS. */
  readonly kafka?: string | true;
  readonly follow?: true;
  /** Nobody of the audience was there: that is no failure. */
  readonly acceptEmpty?: true;
  /** How many seconds an event over Kafka may stay unseen. */
  readonly wait?: string;
}

/** The exit code of an interrupted process, as shells have it. */
const INTERRUPTED = 130;

/** The exit code is 1 where an event was refused or not seen, or, with --follow, its campaign reached nobody. */
export async function publishEvents(files: readonly string[], options: PublishOptions): Promise<void> {
  const events = await readEvents(files);
  if (options.acceptEmpty === true && options.follow !== true)
    throw new UsageError('--accept-empty is for --follow');
  if (options.wait !== undefined && (options.kafka === undefined || options.follow !== true))
    throw new UsageError('--wait is for --kafka with --follow');
  if (options.kafka !== undefined) return publishToKafka(events, options.kafka, options);
  const client = SchedulerClient.fromEnvironment();
  const published = await client.publish(events);
  for (const one of published) report(one, events, options);
  const outcomes =
    options.follow === true
      ? await untilInterrupted(options, (waiting) => outcomesOf(client, published, { waiting, options }))
      : undefined;
  if (options.json === true) print(options, { events: published, ...(outcomes && { outcomes }) }, '');
}

async function publishToKafka(
  events: readonly EventJson[],
  brokers: string | true,
  options: PublishOptions,
): Promise<void> {
  const kafka = kafkaOf(brokers);
  const { events: topic, dead } = kafka.topics;
  if (options.follow !== true) {
    await sendToKafka(events, kafka);
    const text = `${events.length} sent to ${topic}. Kafka gives no verdict: what is refused is on ${dead} and in GET /v1/rejections; --follow asks for it.`;
    return print(options, { sent: events.length, topic }, text);
  }
  const waitMs = 1_000 * secondsOf(options.wait);
  const names = namesOf(events);
  const client = SchedulerClient.fromEnvironment(
    '--follow asks the scheduler what became of what Kafka took: ',
  );
  const before = await knownBefore(client, names);
  await sendToKafka(events, kafka);
  printLines(options, `${events.length} sent to ${topic}`);
  const published: PublishedEvent[] = [];
  const outcomes = await untilInterrupted(options, async (waiting) => {
    const seen = (one: PublishedEvent): void => {
      published.push(one);
      report(one, events, options);
    };
    const unseen = await awaitVerdicts(client, names, { before, waiting, waitMs, seen });
    if (unseen.length > 0 && !waiting.isOver) {
      process.exitCode = 1;
      for (const index of unseen) printLines(options, unseenLine(events, index, topic, waitMs));
    }
    return outcomesOf(client, published, { waiting, options });
  });
  published.sort((a, b) => a.index - b.index);
  if (options.json === true) print(options, { sent: events.length, topic, events: published, outcomes }, '');
}

function unseenLine(events: readonly EventJson[], index: number, topic: string, waitMs: number): string {
  return (
    `event ${index + 1} (${String(events[index]?.['id'])}): NOT SEEN for ${waitMs / 1_000} s. ` +
    `Does the scheduler read ${topic}, and does the token hold the event's service? GET /v1/rejections has what was refused`
  );
}

function secondsOf(wait = '60'): number {
  const seconds = Number(wait);
  if (!/^\d{1,5}$/.test(wait) || seconds < 1)
    throw new UsageError(`--wait takes whole seconds, 1 to 99999, not ${wait}`);
  return seconds;
}

async function outcomesOf(
  client: SchedulerClient,
  published: readonly PublishedEvent[],
  { waiting, options }: { readonly waiting: Waiting; readonly options: PublishOptions },
): Promise<Outcome[]> {
  const line = (lines: string): void => printLines(options, lines);
  const outcomes = await followCampaigns(client, published, { waiting, print: line });
  const missed = outcomes.filter(
    (one) => !one.reached && !(options.acceptEmpty === true && isEmpty(one)) && !waiting.isOver,
  );
  if (missed.length > 0) process.exitCode = 1;
  for (const { campaignId, state } of missed)
    if (state !== 'rejected') line(`campaign ${campaignId}: NOBODY was reached`);
  return outcomes;
}

/** Nobody was there to be reached, or it was called off: nothing went wrong. */
const EMPTY: readonly string[] = ['NOTHING_PLANNED', 'ALL_SKIPPED', 'ALL_EMPTY'] satisfies NobodyCode[];

const isEmpty = ({ state, attention }: Outcome): boolean =>
  state === 'canceled' || EMPTY.includes(attention?.code ?? '');

/** Ctrl-C ends the waiting; what was published goes on. A second Ctrl-C ends the process at once. */
async function untilInterrupted<Result>(
  options: JsonOption,
  work: (waiting: Waiting) => Promise<Result>,
): Promise<Result> {
  const interrupt = new AbortController();
  const onInterrupt = (): void => interrupt.abort();
  process.once('SIGINT', onInterrupt);
  const say = (line: string): void => {
    if (options.json !== true) process.stderr.write(`${line}\n`);
  };
  try {
    const result = await work(new Waiting(interrupt.signal, say, new SystemClock()));
    if (interrupt.signal.aborted) {
      process.exitCode = INTERRUPTED;
      say('not followed any further; what was published goes on');
    }
    return result;
  } finally {
    process.removeListener('SIGINT', onInterrupt);
  }
}

function report(published: PublishedEvent, events: readonly EventJson[], options: JsonOption): void {
  printLines(options, lineOf(published));
  if (published.verdict !== 'rejected') return;
  process.exitCode = 1;
  const hint = placeholderHint(events[published.index]);
  if (hint !== undefined) printLines(options, `  ${hint}`);
}

function printLines(options: JsonOption, lines: string): void {
  if (options.json !== true) process.stdout.write(`${lines}\n`);
}

function lineOf(published: PublishedEvent): string {
  const { index, id, verdict, campaignId, problems, warnings, rejectionId, until } = published;
  const name = `event ${index + 1} (${id ?? 'without an id'})`;
  if (verdict === 'accepted')
    return `${name}: taken, campaign ${campaignId}${problemLines(warnings, 'warning: ')}`;
  if (verdict === 'parked')
    return `${name}: parked, because its campaign has not come yet; it waits until ${until}`;
  if (verdict === 'duplicate') return `${name}: was taken before, nothing changed`;
  return `${name}: REFUSED, rejection ${rejectionId}${problemLines(problems)}`;
}
