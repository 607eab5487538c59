// Follows campaigns to their end: prints a line for each state that a campaign reaches, and the warnings of its plan that were not
// printed before.
import { CLOSED_CAMPAIGN } from '../../scheduler/decide/lifecycle/campaign-state.js';
import type { FollowedCampaign, PublishedEvent, SchedulerClient } from './scheduler-client.js';
import type { Waiting } from './wait-between.js';

export type Outcome = Pick<FollowedCampaign, 'campaignId' | 'state' | 'attention'>;

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
  let isWarned = false;
  waiting.restart();
  for (;;) {
    const { campaignId, state, detail, attention } = await client.campaign(id);
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
    if ((CLOSED_CAMPAIGN as readonly string[]).includes(state) || waiting.isOver)
      return { campaignId, state, attention };
    await waiting.rest(`campaign ${campaignId}, which is ${state}`);
  }
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
