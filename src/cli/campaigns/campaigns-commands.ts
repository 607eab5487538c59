// The commands about campaigns: publish, plan, and `carillon campaigns …`.
import type { Command } from 'commander';
import type { ActOptions } from './act-on-campaign.js';
import type { PlanOptions } from '../plan/explain-plan.js';
import type { PublishOptions } from '../publish/publish-events.js';
import { several, wholeNumber, withJson, withList } from '../shell/command-options.js';
import { withFilters } from '../shell/filters.js';
import type { ListOptions } from '../shell/list-of.js';
import type { JsonOption } from '../shell/output.js';
import { CAMPAIGN_FILTERS, PLAN_FILTERS } from './campaign-filters.js';
import type { CampaignsOptions } from './list-campaigns.js';
import type { ReportOptions } from './report-campaign.js';

export function addPublish(program: Command): void {
  withJson(program.command('publish'))
    .description(
      'publish events by HTTP or Kafka. Exit code 1: one was refused, or not seen, or with --follow its campaign reached nobody; 2: the call or a file cannot be used',
    )
    .argument('<file...>', "CloudEvents as JSON, one, an array or one a line; '-' is standard input")
    .option('--kafka [brokers]', 'to Kafka, at host:port,… [KAFKA_BROKERS]')
    .option('--follow', 'wait for the outcome of each campaign; beside --kafka it asks CARILLON_URL')
    .option('--accept-empty', 'with --follow: end with 0 also where nobody was there to be reached')
    .option('--wait <seconds>', 'with --kafka --follow: how long an event may stay unseen [60]')
    .action(async (files: string[], options: PublishOptions) =>
      (await import('../publish/publish-events.js')).publishEvents(files, options),
    );
}

export function addPlan(program: Command): void {
  withJson(program.command('plan'))
    .description(
      'explain what a campaign event would do, without database or network unless --online. Exit code 0: it can be planned; ' +
        '1: it would be rejected, or planning refuses it; 2: the call or the file cannot be used; 3: nothing would leave',
    )
    .argument('<file>', 'a campaign event as JSON, or its data alone')
    .option('--now <instant>', 'plan as if it were then, such as 2027-03-01T00:00:00Z [now]')
    .option(
      '--online',
      'let the scheduler at CARILLON_URL plan it (CARILLON_TOKEN), by its push project, and ask for unknown zones; the options below do not apply',
    )
    .option('--zone <zone>', 'the project’s default zone', 'Asia/Seoul')
    .addOption(several('--principal <country=zone>', 'a country’s principal zone'))
    .option('--max-to <ids>', 'userIds in one request', wholeNumber, 1_000)
    .option('--rate <requests>', 'requests a second', wholeNumber, 10)
    .option('--no-reservations', 'the project makes no reservations')
    .option('--min-reserve-lead <seconds>', 'nothing due sooner is reserved', wholeNumber, 180)
    .option('--horizon <days>', 'nothing due later is reserved yet', wholeNumber, 30)
    .action(async (file: string, options: PlanOptions) =>
      (await import('../plan/explain-plan.js')).explainPlan(file, options),
    );
}

const ACTS = {
  pause: 'hold all of a campaign that has not left, or one occurrence',
  resume: 'plan again what a pause holds; late sends follow the lateness of their policy',
  cancel: 'cancel all of a campaign that has not left, or one occurrence; it cannot be undone',
} as const;

export function addCampaigns(program: Command): void {
  const campaign = program.command('campaigns').description('campaigns: where they stand, and acts on them');
  const argument = ['<id>', 'our id of the campaign, or service/campaignId'] as const;
  addReads(campaign, argument);
  withJson(campaign.command('show'))
    .description('print where a campaign stands')
    .argument(...argument)
    .action(async (id: string, options: JsonOption) =>
      (await import('./show-campaign.js')).showCampaign(id, options),
    );
  for (const [act, description] of Object.entries(ACTS)) {
    withJson(campaign.command(act))
      .description(description)
      .argument(...argument)
      .option('--occurrence <occurrence>', 'only this firing of a recurrence, such as 2027-03-01T09:00')
      .option('--reason <text>', 'shown to people')
      .option('--preview', 'only count what it would do')
      .action(async (id: string, options: ActOptions) =>
        (await import('./act-on-campaign.js')).actOnCampaign(act as keyof typeof ACTS, id, options),
      );
  }
  const saw = '"carillon campaigns show" prints it';
  withJson(campaign.command('approve'))
    .description('release a campaign that awaits approval')
    .argument(...argument)
    .requiredOption('--revision <number>', `the revision that you looked at; ${saw}`, Number)
    .requiredOption('--hash <hash>', `the hash of what you looked at; ${saw}`)
    .option('--reason <text>', 'shown to people')
    .option('--preview', 'only count what it would do')
    .action(async (id: string, options: ActOptions) =>
      (await import('./act-on-campaign.js')).actOnCampaign('approve', id, options),
    );
  withJson(campaign.command('decline'))
    .description('refuse a campaign that awaits approval: it ends as canceled')
    .argument(...argument)
    .requiredOption('--reason <text>', 'shown to people')
    .option('--preview', 'only count what it would do')
    .action(async (id: string, options: ActOptions) =>
      (await import('./act-on-campaign.js')).actOnCampaign('decline', id, options),
    );
}

function addReads(campaign: Command, argument: readonly [string, string]): void {
  withFilters(withList(campaign.command('list', { isDefault: true })), CAMPAIGN_FILTERS)
    .description('print campaigns, newest first')
    .option('--attention', 'that need somebody')
    .option('--oldest', 'oldest first')
    .action(async (options: CampaignsOptions) =>
      (await import('./list-campaigns.js')).listCampaigns(options),
    );
  withFilters(withList(campaign.command('plan')), PLAN_FILTERS)
    .description('print the cells of its plan: when each zone is due, why, and what became of it')
    .argument(...argument)
    .action(async (id: string, options: ListOptions) =>
      (await import('./list-campaigns.js')).listPlan(id, options),
    );
  withJson(campaign.command('report'))
    .description('print what it came to: sends and devices, in sum and by zone')
    .argument(...argument)
    .option('--occurrence <occurrence>', 'only this firing of a recurrence, such as 2027-03-01T09:00')
    .option('--csv', 'answer as CSV, with all columns')
    .action(async (id: string, options: ReportOptions) =>
      (await import('./report-campaign.js')).reportCampaign(id, options),
    );
}
