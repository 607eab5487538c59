// Follows campaigns to their end: a line for each state that one comes to, with what planning warns of that was not told yet.
import { CLOSED_CAMPAIGN } from '../../scheduler/decide/lifecycle/campaign-state.js';
import { problemLines } from './problem-lines.js';
import type { FollowedCampaign, PublishedEvent, SchedulerClient } from './scheduler-client.js';
import type { Waiting } from './wait-between.js';

export interface Outcome {
  readonly campaignId: string;
  readonly state: string;
  readonly attention: FollowedCampaign['attention'];
}

type Warnings = NonNullable<PublishedEvent['warnings']>;

/** Of each its end, or where it stood when the waiting was ended. `print` is given a line, or several. */
export async function followCampaigns(
  client: SchedulerClient,
  published: readonly PublishedEvent[],
  { waiting, print }: { readonly waiting: Waiting; readonly print: (lines: string) => void },
): Promise<Outcome[]> {
  const told = new Map<string, Warnings>();
  for (const { campaignId, warnings } of published)
    if (campaignId) told.set(campaignId, [...(told.get(campaignId) ?? []), ...(warnings ?? [])]);
  const outcomes: Outcome[] = [];
  for (const [id, warned] of told) {
    if (waiting.isOver) break;
    outcomes.push(await followOne(client, id, { warned, waiting, print }));
  }
  return outcomes;
}

async function followOne(
  client: SchedulerClient,
  id: string,
  { warned, waiting, print }: { warned: Warnings; waiting: Waiting; print: (lines: string) => void },
): Promise<Outcome> {
  let last = '';
  let isWarned = false;
  waiting.restart();
  for (;;) {
    const { campaignId, state, detail, attention } = await client.campaign(id);
    if (state !== last) {
      const why = attention?.text ?? detail;
      const fresh: Warnings | undefined =
        isWarned || !isPlanned(state) ? undefined : await client.warnings(id);
      isWarned ||= fresh !== undefined;
      print(
        `campaign ${campaignId}: ${state}${why === null ? '' : `, ${why}`}${problemLines(unlike(fresh, warned), 'warning: ')}`,
      );
      waiting.restart();
    }
    last = state;
    if ((CLOSED_CAMPAIGN as readonly string[]).includes(state) || waiting.isOver)
      return { campaignId, state, attention };
    await waiting.rest(`campaign ${campaignId}, which is ${state}`);
  }
}

const isPlanned = (state: string): boolean => !['accepted', 'planning', 'rejected'].includes(state);

function unlike(all: Warnings = [], told: Warnings): Warnings {
  return all.filter(({ code, pointer }) => !told.some((one) => one.code === code && one.pointer === pointer));
}
