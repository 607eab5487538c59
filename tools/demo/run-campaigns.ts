// The demo's main part: publish the examples, follow them, do the operator's steps, print the report, and hold it
// against the expectations and the push service's own deliveries.
import { scheduler as timers } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { Endpoints } from '../endpoints.js';
import type { Example } from './examples.js';
import { Management } from './management.js';
import { fetchReport, outcomeOf, tableRows } from './outcome.js';
import { publishEvents } from './publish.js';
import { callWithToken } from './push-client.js';
import { reportTable } from './report-table.js';
import type { Terminal } from './terminal.js';
import { differences, requestDifferences, total } from './verify.js';
import { watch, type Watched, type WatchDeps } from './watch.js';

/** Beyond this the demo gives up and shows what it has: a reserved minute, and time to ask for its result. */
const GIVE_UP_AFTER_MS = 240_000;

const Ledger = z.object({
  balanced: z.boolean(),
  events: z.object({ left: z.number() }),
  planned: z.object({ left: z.number() }),
  missing: z.array(z.unknown()),
});

/** True when every campaign ended as expected and the ledger balances. */
export async function runCampaigns(
  endpoints: Endpoints,
  examples: readonly Example[],
  terminal: Terminal,
): Promise<boolean> {
  const { say, paint } = terminal;
  const management = new Management(endpoints);
  const operator = { url: endpoints.schedulerUrl, token: endpoints.tokens.operator };
  const get = (path: string): Promise<unknown> => callWithToken(operator, 'GET', path);

  const failing = examples.filter((example) => example.expectation.steps.includes('retry-failed'));
  for (const { event } of failing) await management.failNextReservation(event.data.serviceId);

  const way = await publishEvents(
    endpoints,
    examples.map((example) => example.event),
  );
  say(`published ${examples.length} campaigns (${way})`);

  const watched = await watch(examples, {
    get,
    say,
    wait: terminal.wait,
    withinMs: GIVE_UP_AFTER_MS,
    ...stepsOf(endpoints, management, get),
  });
  const shown = await Promise.all(
    watched.map(async (campaign) => {
      if (campaign.id === undefined) return { campaign, problems: ['the scheduler knows no such campaign'] };
      const report = await fetchReport(get, campaign.id);
      const outcome = await outcomeOf(campaign, report, (requestId) => management.deliveredTo(requestId));
      const problems = differences(campaign.example.expectation, outcome);
      return { campaign, problems, row: tableRows(campaign, report) };
    }),
  );
  terminal.print(
    `\n${reportTable(
      shown.flatMap(({ row }) => row ?? []),
      terminal,
    )}\n`,
  );
  const agreed = shown.map(({ campaign, problems }) => showVerdict(campaign, problems, terminal));
  const strays = await strayRequests(management, watched);
  for (const stray of strays) say(paint('red', `NOT as expected: ${stray}`));
  const ledger = Ledger.parse(await get('/v1/ledger'));
  const { events, planned } = ledger;
  say(
    `the ledger ${ledger.balanced ? 'balances' : 'does NOT balance'} over ${events.left} events and ${planned.left} planned sends`,
  );
  for (const missing of ledger.missing) say(`  missing: ${JSON.stringify(missing)}`);
  return agreed.every(Boolean) && strays.length === 0 && ledger.balanced && events.left > 0;
}

/** Both sides' requests, retried and canceled sends included: one more than the sends report is a double. */
async function strayRequests(management: Management, watched: readonly Watched[]): Promise<string[]> {
  const serviceIds = [...new Set(watched.map(({ example }) => example.event.data.serviceId))];
  const taken = await Promise.all(serviceIds.map((serviceId) => management.requestsTaken(serviceId)));
  const reported = watched.flatMap(({ sends }) => sends.flatMap(({ requestId }) => requestId ?? []));
  return requestDifferences(taken.flat(), reported);
}

function stepsOf(
  endpoints: Endpoints,
  management: Management,
  get: (path: string) => Promise<unknown>,
): Pick<WatchDeps, 'steps' | 'isFinal'> {
  return {
    isFinal: async (campaign) => (await fetchReport(get, campaign)).final,
    steps: {
      'fire-schedule': async (send, { event, expectation }) => {
        const code = send.scheduleCode ?? '';
        await management.fireSchedule(event.data.serviceId, code);
        await delivered(management, send.requestId ?? '', total(expectation.deliveries));
        return `the push service has fired ${code} once`;
      },
      cancel: async ({ event }) => {
        await publishEvents(endpoints, [canceledEvent(event)]);
        return 'a cancel is published';
      },
      'retry-failed': async (send) => {
        const operator = { url: endpoints.schedulerUrl, token: endpoints.tokens.operator };
        await callWithToken(operator, 'POST', `/v1/sends/${send.id}/retry`);
        return 'the operator retries it';
      },
    },
  };
}

function canceledEvent({ source, subject, data: { serviceId } }: Example['event']) {
  return {
    specversion: '1.0',
    id: uuidv7(),
    source,
    type: 'carillon.campaign.canceled.v1',
    subject,
    time: new Date().toISOString(),
    data: { serviceId, reason: 'the demo has seen one firing' },
  };
}

/** Returns once the push service has served that many devices, or after ten seconds: the comparison then shows. */
async function delivered(management: Management, requestId: string, devices: number): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (total(await management.deliveredTo(requestId)) < devices && performance.now() < deadline) {
    await timers.wait(200);
  }
}

function showVerdict(campaign: Watched, problems: readonly string[], { say, paint }: Terminal): boolean {
  const name = campaign.example.event.subject.padEnd(24);
  if (problems.length === 0) say(`${name} ${paint('green', `as expected: ${campaign.state}`)}`);
  else for (const problem of problems) say(`${name} ${paint('red', `NOT as expected: ${problem}`)}`);
  return problems.length === 0;
}
