// The commands that say how all stands: status, alerts and forecast.
import { Option, type Command } from 'commander';
import type { AlertOptions } from './operations/show-alerts.js';
import type { StatusOptions } from './operations/show-status.js';
import type { ForecastOptions } from './print-forecast.js';
import { secondsBetween, withJson, withList } from './shell/command-options.js';
import type { JsonOption } from './shell/output.js';

export function addStatus(program: Command): void {
  withJson(program.command('status'))
    .description(
      'say whether all is well, and what needs a person. Exit code 0: all is well; ' +
        '1: something needs a person; 2: the scheduler does not answer',
    )
    .addOption(
      new Option('--watch [seconds]', 'read it again and again until Ctrl-C')
        .argParser(secondsBetween)
        .preset('5'),
    )
    .action(async (options: StatusOptions) =>
      (await import('./operations/show-status.js')).showStatus(options),
    );
}

export function addAlerts(program: Command): void {
  const alerts = program.command('alerts').description('what needs a person, or did');
  withList(alerts.command('list', { isDefault: true }))
    .description('print open alerts, the newest first')
    .option('--ended', 'those that have ended instead')
    .option('--all', 'both')
    .option('--service <serviceId>', 'only of this push project')
    .action(async (options: AlertOptions) =>
      (await import('./operations/show-alerts.js')).listAlerts(options),
    );
  withJson(alerts.command('acknowledge'))
    .description('say that you have taken an alert up; it ends only with its cause')
    .argument('<id>', '"carillon alerts" prints it')
    .action(async (id: string, options: JsonOption) =>
      (await import('./operations/show-alerts.js')).acknowledgeAlert(id, options),
    );
}

export function addForecast(program: Command): void {
  withJson(program.command('forecast'))
    .description(
      'say what is planned against the rates of projects, what is expected to be late, and what would help',
    )
    .option('--from <instant>', 'such as 2027-03-01T00:00:00Z [now]')
    .option('--to <instant>', 'until then [24 hours after --from]')
    .addOption(new Option('--step <length>', 'minute or hour').choices(['minute', 'hour']).default('hour'))
    .addOption(
      new Option('--by <key>', 'what a line is of')
        .choices(['zone', 'project', 'campaign'])
        .default('project'),
    )
    .option('--service <serviceId>', 'only this service [all that the token holds]')
    .option('--with <planHash>', 'as if this previewed plan were published')
    .action(async (options: ForecastOptions) => (await import('./print-forecast.js')).printForecast(options));
}
