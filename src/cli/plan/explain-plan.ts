// carillon plan FILE: plans offline by the same function as the scheduler. It asks nobody for zones, so ids without a zone are
// provisional; with --online the scheduler plans, and asks. Changes nothing.
import { processEnvironment, readConfig } from '../../platform/env.js';
import { loadZoneRules, yearsBehind } from '../../zone-rules/load-zone-rules.js';
import { instantOf } from '../../scheduler/accept/parse/given-times.js';
import { idsWithoutZone } from '../../scheduler/decide/audience/audience-needs.js';
import { planCampaign } from '../../scheduler/decide/plan/plan.js';
import { fingerprint } from '../../scheduler/decide/plan/plan-hash.js';
import { noFacts, type Plan, type PlanningProject } from '../../scheduler/decide/plan/plan-types.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { planDocument } from '../../scheduler/plan/shown-plan.js';
import { schedulerEnvironment } from '../../scheduler/scheduler.config.js';
import { commandClock } from '../shell/command-clock.js';
import { print, type JsonOption } from '../shell/output.js';
import { readPlanFile } from './plan-file.js';
import { planOnline } from './plan-online.js';
import { planText } from './plan-text.js';
import { wrap } from '../shell/text-layout.js';
import { UsageError } from '../shell/usage-error.js';

export interface PlanOptions extends JsonOption {
  readonly now?: string;
  readonly online?: true;
  readonly zone: string;
  readonly principal: readonly string[];
  readonly maxTo: number;
  readonly rate: number;
  readonly reservations: boolean;
  readonly minReserveLead: number;
  readonly horizon: number;
}

export async function explainPlan(file: string, options: PlanOptions): Promise<void> {
  const { TZDATA_DIR: directory } = readConfig(
    schedulerEnvironment.pick({ TZDATA_DIR: true }),
    processEnvironment(),
  );
  const rules = loadZoneRules({ directory });
  const now = options.now === undefined ? commandClock().now() : instant(options.now);
  const read = readPlanFile(file, rules);
  if (read.kind === 'rejected') {
    const reasons = read.reasons.map(({ pointer, code, text }) => `  - ${pointer} ${code}: ${text}`);
    const lines = [
      'the event would be rejected:',
      ...reasons,
      ...(read.hint === undefined ? [] : [read.hint]),
    ];
    const human = lines.flatMap((line) => wrap(line, terminalWidth(), '    ')).join('\n');
    print(options, { rejected: read.reasons }, human);
    process.exitCode = 1;
    return;
  }
  const { campaign } = read;
  if (options.online === true) return explainOnline(file, options, campaign.campaignId);
  if (campaign.audience !== null && 'list' in campaign.audience)
    throw new UsageError(`only the scheduler has the list ${campaign.audience.list}: add --online`);
  const project = projectFrom(options, rules);
  // Offline nobody is asked where a userId lives: all ids without a given zone may still move.
  const unknown = idsWithoutZone(campaign).length;
  const audience = { ...noFacts, provisional: unknown, lookUps: unknown };
  const input = { campaign, project, audience, now, rules, revision: 1, withTest: true };
  const plan = planCampaign(input);
  const { hash } = fingerprint(plan, input);
  const text = planText(plan, {
    campaignId: campaign.campaignId,
    serviceId: campaign.serviceId,
    now,
    planHash: hash,
    project,
    yearsBehind: yearsBehind(rules.version, now),
    width: terminalWidth(),
  });
  print(options, planDocument(plan, hash), text);
  setExitCode(plan);
}

/** The same for the plan that the scheduler makes. */
async function explainOnline(file: string, options: PlanOptions, campaignId: string): Promise<void> {
  if (options.now !== undefined) throw new UsageError('--online plans as of now: leave --now out');
  const { plan, planHash, serviceId, document } = await planOnline(file);
  const now = commandClock().now();
  const text = planText(plan, {
    campaignId,
    serviceId,
    now,
    planHash,
    project: undefined,
    yearsBehind: yearsBehind(plan.tzdata.version, now),
    width: terminalWidth(),
  });
  print(options, document, text);
  setExitCode(plan);
}

function setExitCode(plan: Plan): void {
  if (plan.refusal !== undefined) process.exitCode = 1;
  else if (plan.warnings.some(({ code }) => code === 'NOTHING_WILL_LEAVE')) process.exitCode = 3;
}

/** For output that is not a terminal, a width that suits a file or a mail. */
function terminalWidth(): number {
  return Math.max(60, process.stdout.isTTY ? process.stdout.columns : 120);
}

/** Throws a UsageError for values that no project could have. */
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
