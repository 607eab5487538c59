// The commands about events that were refused: `carillon rejections …`, by HTTP.
import type { Command } from 'commander';
import { withJson, withList } from '../shell/command-options.js';
import { withFilters } from '../shell/filters.js';
import type { ListOptions } from '../shell/list-of.js';
import { REJECTION_FILTERS } from './rejection-filters.js';
import type { DiscardOptions, ReplayOptions } from './settle-rejection.js';

export function addRejections(program: Command): void {
  const rejections = program.command('rejections').description('events that were refused');
  const id = ['<id>', 'of the rejection, as "carillon rejections" prints it'] as const;
  withFilters(withList(rejections.command('list', { isDefault: true })), REJECTION_FILTERS)
    .description('print rejections, newest first')
    .action(async (options: ListOptions) => (await import('./list-rejections.js')).listRejections(options));
  withJson(rejections.command('show'))
    .description('print a rejection with every reason; for operators also its event')
    .argument(...id)
    .action(async (rejection: string, options: object) =>
      (await import('./list-rejections.js')).showRejection(rejection, options),
    );
  withJson(rejections.command('replay'))
    .description('give the event to the intake again')
    .argument(...id)
    .option(
      '--event <file>',
      "an edited event in its place, as JSON; '-' is standard input; needs the role publisher too",
    )
    .action(async (rejection: string, options: ReplayOptions) =>
      (await import('./settle-rejection.js')).replayRejection(rejection, options),
    );
  withJson(rejections.command('discard'))
    .description('close a rejection without a replay')
    .argument(...id)
    .option('--reason <text>', 'shown to people')
    .action(async (rejection: string, options: DiscardOptions) =>
      (await import('./settle-rejection.js')).discardRejection(rejection, options),
    );
}
