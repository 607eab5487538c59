// What a preview says about the sends that it would retry: how many devices and campaigns, how old, and which would fail again. Each page
// of the work adds its sends. Pure.
import type { EpochMs } from '../../platform/clock.js';
import { failsAgain } from '../decide/lifecycle/fails-again.js';
import type { SetFacts } from '../store/send/send-set.store.js';
import type { RetryCandidate } from '../store/send/retry.store.js';

/** A retry of an older send says something that may no longer be true: it needs the member `stale` of the preview. */
export const STALE_AFTER_MS = 86_400_000;
export const TOO_OLD = 'OLDER_THAN_A_DAY';

/** The most campaigns that are told apart, so that the row of a set stays small. */
const MOST_CAMPAIGNS = 1_000;
/** The most that are shown: those with the most sends. */
const SHOWN = 20;

export const isTooOld = ({ since }: RetryCandidate, now: EpochMs): boolean => now - since > STALE_AFTER_MS;

/** Adds a send, or with `times` -1 takes one away that turned out to be left out; the oldest due then stays. */
export function addFact(facts: SetFacts, one: RetryCandidate, times: 1 | -1 = 1): void {
  const { campaign, since, devices, state, code, detail } = one;
  if (devices === null) facts.unknownDevices = (facts.unknownDevices ?? 0) + times;
  else facts.devices = (facts.devices ?? 0) + times * devices;
  if (times === 1) facts.oldest = Math.min(facts.oldest ?? since, since);
  const again = failsAgain({ state, code, detail });
  if (again !== undefined) addTo((facts.again ??= {}), again, times);
  const campaigns = (facts.campaigns ??= {});
  if (campaign in campaigns || Object.keys(campaigns).length < MOST_CAMPAIGNS)
    addTo(campaigns, campaign, times);
  else facts.otherSends = (facts.otherSends ?? 0) + times;
}

function addTo(sums: Record<string, number>, key: string, times: number): void {
  const sum = (sums[key] ?? 0) + times;
  if (sum > 0) sums[key] = sum;
  else delete sums[key];
}

export interface ShownFacts {
  readonly devices: number;
  readonly unknownDevices: number;
  readonly oldestDueAt: Date | null;
  readonly failsAgain: Readonly<Record<string, number>>;
  readonly campaigns: readonly { readonly campaign: string; readonly sends: number }[];
  readonly campaignCount: number;
  readonly campaignCountIsLeast: boolean;
}

/** Of all projects of a set. */
export function shownFacts(ofProjects: readonly SetFacts[]): ShownFacts {
  const sumOf = (name: 'devices' | 'unknownDevices' | 'otherSends'): number =>
    ofProjects.reduce((sum, facts) => sum + (facts[name] ?? 0), 0);
  const again: Record<string, number> = {};
  for (const facts of ofProjects)
    for (const [code, sends] of Object.entries(facts.again ?? {})) addTo(again, code, sends);
  // A campaign belongs to one project.
  const campaigns = ofProjects
    .flatMap((facts) => Object.entries(facts.campaigns ?? {}))
    .map(([campaign, sends]) => ({ campaign, sends }))
    .toSorted((a, b) => b.sends - a.sends || (a.campaign < b.campaign ? -1 : 1));
  const oldest = Math.min(...ofProjects.map((facts) => facts.oldest ?? Infinity));
  return {
    devices: sumOf('devices'),
    unknownDevices: sumOf('unknownDevices'),
    oldestDueAt: Number.isFinite(oldest) ? new Date(oldest) : null,
    failsAgain: again,
    campaigns: campaigns.slice(0, SHOWN),
    campaignCount: campaigns.length,
    campaignCountIsLeast: sumOf('otherSends') > 0,
  };
}
