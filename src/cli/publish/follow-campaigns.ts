// Follows campaigns to their end: prints a line for each state that a campaign reaches, the warnings of its plan that were not printed
// before, and that its project is stopped or blocked while it waits.
import { CLOSED_CAMPAIGN } from '../../scheduler/decide/lifecycle/campaign-state.js';
import type { FollowedCampaign, PublishedEvent, SchedulerClient } from './scheduler-client.js';
import type { Waiting } from './wait-between.js';

export type Outcome = Pick<FollowedCampaign, 'campaignId' | 'state' | 'attention'> & {
  /** A provider took a device of it, or an operator confirmed that it went. */
  readonly reached: boolean;
};

type Warnings = NonNullable<PublishedEvent['warnings']>;

interface How {
  readonly waiting: Waiting;
  /** Called with one line, or several. */
  readonly print: (lines: string) => void;
}

/** The last state of each campaign: its end, or its state when the caller ended the waiting. */
export async function followCampaigns(
  client: SchedulerClient,
  published: readonly PublishedEvent[],
  how: How,
): Promise<Outcome[]> {
  const printed = new Map<string, Warnings>();
  for (const { campaignId, warnings } of published)
    if (campaignId) printed.set(campaignId, [...(printed.get(campaignId) ?? []), ...(warnings ?? [])]);
  const outcomes: Outcome[] = [];
  for (const [id, warnings] of printed) {
    if (how.waiting.isOver) break;
    outcomes.push(await followOne(client, id, warnings, how));
  }
  return outcomes;
}

async function followOne(
  client: SchedulerClient,
  id: string,
  printed: Warnings,
  { waiting, print }: How,
): Promise<Outcome> {
  let last = '';
  let lastBlock: string | null = null;
  let isWarned = false;
  waiting.restart();
  for (;;) {
    const { serviceId, campaignId, state, detail, attention, sends } = await client.campaign(id);
    if (state !== last) {
      const why = attention?.text ?? detail;
      let fresh: Warnings = [];
      if (!isWarned && !['accepted', 'planning', 'rejected'].includes(state)) {
        fresh = (await client.warnings(id)).filter((warning) => !isIn(printed, warning));
        isWarned = true;
      }
      const lines = problemLines(fresh, 'warning: ');
      print(`campaign ${campaignId}: ${state}${why === null ? '' : `, ${why}`}${lines}`);
      waiting.restart();
    }
    last = state;
    const isClosed = (CLOSED_CAMPAIGN as readonly string[]).includes(state);
    if (isClosed || waiting.isOver)
      return { campaignId, state, attention, reached: (sends['sent'] ?? 0) > 0 };
    const block = await client.blocked(serviceId);
    if (block !== lastBlock) print(`campaign ${campaignId}: ${blockText(serviceId, block)}`);
    lastBlock = block;
    await waiting.rest(
      `campaign ${campaignId}, which is ${state}${block === null ? '' : `; ${blockText(serviceId, block)}`}`,
    );
  }
}

/** `block`: a code, or null where it is over. */
function blockText(serviceId: string, block: string | null): string {
  if (block === null) return `${serviceId} is not blocked any more`;
  if (block === 'STOPPED') return `STOPPED, nothing of ${serviceId} leaves until somebody starts it`;
  return `BLOCKED by ${block}, nothing of ${serviceId} leaves; "carillon projects show ${serviceId}" says why`;
}

function isIn(all: Warnings, { code, pointer }: Warnings[number]): boolean {
  return all.some((one) => one.code === code && one.pointer === pointer);
}

/** Problems or warnings, each on a line of its own below what they are about. */
export function problemLines(problems: PublishedEvent['warnings'], kind = ''): string {
  return (problems ?? [])
    .map(({ pointer, code, text }) => `\n  - ${kind}${pointer === '' ? '' : `${pointer} `}${text} (${code})`)
    .join('');
}
