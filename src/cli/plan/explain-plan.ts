// What carillon plan FILE does: the very function that plans in earnest, offline. Only the directory and the push
// service are not asked, so ids without a zone are provisional. Changes nothing.
import { SystemClock } from '../../platform/clock.js';
import { processEnvironment, readConfig } from '../../platform/env.js';
import { loadZoneRules, yearsBehind } from '../../zone-rules/load-zone-rules.js';
import { instantOf } from '../../scheduler/accept/parse/given-times.js';
import { planCampaign } from '../../scheduler/decide/plan/plan.js';
import { planHash } from '../../scheduler/decide/plan/plan-hash.js';
import { noFacts, type AudienceFacts, type PlanningProject } from '../../scheduler/decide/plan/plan-types.js';
import { inlineRecipients } from '../../scheduler/decide/audience/recipients.js';
import type { Campaign } from '../../scheduler/decide/plan/campaign.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { planDocument } from '../../scheduler/plan/shown-plan.js';
import { schedulerEnvironment } from '../../scheduler/scheduler.config.js';
import { print, type JsonOption } from '../output.js';
import { readPlanFile } from './plan-file.js';
import { planText } from './plan-text.js';
import { wrap } from '../text-layout.js';
import { UsageError } from '../usage-error.js';

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
    const human = ['the event would be rejected:', ...lines, ...read.hints].flatMap((line) =>
      wrap(line, terminalWidth(), '    '),
    );
    print(options, { rejected: read.reasons }, human.join('\n'));
    process.exitCode = 1;
    return;
  }
  const { campaign, notes } = read;
  const project = projectFrom(options, rules);
  const audience = unasked(campaign);
  const plan = planCampaign({ campaign, project, audience, now, rules, revision: 1, withTest: true });
  const hash = planHash(plan, campaign, audience, now);
  const text = planText(plan, {
    campaignId: campaign.campaignId,
    now,
    planHash: hash,
    project,
    yearsBehind: yearsBehind(rules.version, now),
    notTaken: notes.map(({ pointer, text: why }) => `${pointer} ${why}`),
    width: terminalWidth(),
  });
  print(options, { ...planDocument(plan, hash), rejected: notes }, text);
  if (plan.refusal !== undefined || notes.length > 0) process.exitCode = 1;
}

/** Of what is no terminal, a width that a file or a mail holds well. */
function terminalWidth(): number {
  return Math.max(60, process.stdout.isTTY ? process.stdout.columns : 120);
}

/** Offline nobody is asked where a userId lives: all that carry no zone of their own may still move. */
function unasked(campaign: Campaign): AudienceFacts {
  if (campaign.delivery.kind !== 'recipient') return noFacts;
  let provisional = 0;
  for (const { known } of inlineRecipients(campaign, noFacts)) if (known === undefined) provisional += 1;
  return { ...noFacts, provisional };
}

/** Throws a UsageError for what no project could have. */
function projectFrom(options: PlanOptions, rules: ZoneRules): PlanningProject {
  const pairs = options.principal.map((pair) => pair.split('='));
  const wrong = pairs.find(([country = '', zone = '']) => !/^[A-Z]{2}$/.test(country) || zone === '');
  if (wrong !== undefined)
    throw new UsageError(`--principal ${wrong.join('=')}: give it as US=America/New_York`);
  const named = [['--zone', options.zone], ...pairs.map(([, zone = '']) => ['--principal', zone])];
  const unknown = named.find(([, zone = '']) => !rules.has(zone));
  if (unknown !== undefined) throw new UsageError(`${unknown.join(' ')}: there is no such IANA time zone`);
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
