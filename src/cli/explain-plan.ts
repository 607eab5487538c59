// What carillon plan FILE does: the very function that plans in earnest, offline. Only the directory and the push
// service are not asked, so ids without a zone are provisional. Changes nothing.
import { SystemClock } from '../platform/clock.js';
import { processEnvironment, readConfig } from '../platform/env.js';
import { instantText } from '../platform/instant.js';
import { loadZoneRules, yearsBehind } from '../platform/zone-rules.js';
import { instantOf } from '../scheduler/accept/to-campaign.js';
import { planCampaign } from '../scheduler/decide/plan.js';
import { planHash } from '../scheduler/decide/plan-hash.js';
import { noFacts, type AudienceFacts, type PlanningProject } from '../scheduler/decide/planned.js';
import { inlineRecipients } from '../scheduler/decide/recipients.js';
import type { Campaign } from '../scheduler/decide/campaign.js';
import { planDocument } from '../scheduler/plan/plan-document.js';
import { schedulerEnvironment } from '../scheduler/scheduler.config.js';
import { print, type JsonOption } from './output.js';
import { readPlanFile } from './plan-file.js';
import { planText } from './plan-text.js';
import { UsageError } from './usage-error.js';

export interface PlanOptions extends JsonOption {
  readonly now?: string;
  readonly zone: string;
  readonly principal: readonly string[];
  readonly maxTo: number;
  readonly rate: number;
  readonly reservations: boolean;
  readonly minReserveLead: number;
  readonly horizon: number;
}

export function explainPlan(file: string, options: PlanOptions): void {
  const { TZDATA_DIR: directory } = readConfig(
    schedulerEnvironment.pick({ TZDATA_DIR: true }),
    processEnvironment(),
  );
  const rules = loadZoneRules({ directory });
  const now = options.now === undefined ? new SystemClock().now() : instant(options.now);
  const read = readPlanFile(file, rules);
  if (read.kind === 'rejected') {
    const lines = read.reasons.map(({ pointer, code, text }) => `  - ${pointer} ${code}: ${text}`);
    print(options, { rejected: read.reasons }, ['the event would be rejected:', ...lines].join('\n'));
    process.exitCode = 1;
    return;
  }
  const { campaign, notes } = read;
  const project = projectFrom(options);
  const audience = unasked(campaign);
  const plan = planCampaign({ campaign, project, audience, now, rules, revision: 1, withTest: true });
  const hash = planHash(plan, campaign, audience, now);
  const text = planText(plan, {
    campaignId: campaign.campaignId,
    now,
    planHash: hash,
    ratePerSecond: project.ratePerSecond,
    yearsBehind: yearsBehind(rules.version, Number(instantText(now).slice(0, 4))),
  });
  const notTaken = notes.map(({ pointer, text: why }) => `this release would reject it: ${pointer} ${why}`);
  print(options, { ...planDocument(plan, hash), rejected: notes }, [text, ...notTaken].join('\n'));
  if (plan.refusal !== undefined || notes.length > 0) process.exitCode = 1;
}

/** Offline nobody is asked where a userId lives: all that carry no zone of their own may still move. */
function unasked(campaign: Campaign): AudienceFacts {
  if (campaign.delivery.kind !== 'recipient') return noFacts;
  let provisional = 0;
  for (const { known } of inlineRecipients(campaign, noFacts)) if (known === undefined) provisional += 1;
  return { ...noFacts, provisional };
}

/** Throws a UsageError for what no project could have. */
function projectFrom(options: PlanOptions): PlanningProject {
  const pairs = options.principal.map((pair) => pair.split('='));
  const wrong = pairs.find(([country = '', zone = '']) => !/^[A-Z]{2}$/.test(country) || zone === '');
  if (wrong !== undefined)
    throw new UsageError(`--principal ${wrong.join('=')}: give it as US=America/New_York`);
  if (options.maxTo < 1 || options.rate < 1) throw new UsageError('--max-to and --rate must be at least 1');
  return {
    defaultZone: options.zone,
    maxTo: options.maxTo,
    principalZones: Object.fromEntries(pairs.map(([country = '', zone = '']) => [country, zone])),
    extensions: [],
    ratePerSecond: options.rate,
    reservations: options.reservations,
    minReserveLeadMs: options.minReserveLead * 1_000,
    reserveHorizonMs: options.horizon * 86_400_000,
  };
}

function instant(value: string): number {
  const at = instantOf(value);
  if (!Number.isNaN(at)) return at;
  throw new UsageError('--now takes an instant with its offset, such as 2027-03-01T00:00:00Z');
}
