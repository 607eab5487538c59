// The commands about many sends at once: `carillon retries …` and `carillon resolves …`, by HTTP.
import type { Command } from 'commander';
import { several, withJson, withList } from '../shell/command-options.js';
import { OF_SERVICE, withFilters } from '../shell/filters.js';
import type { ListOptions } from '../shell/list-of.js';
import { SEND_FILTERS } from '../sends/send-filters.js';
import type { SetOptions } from './run-set.js';
import type { SetKind } from './set-text.js';

export function addRetries(program: Command): void {
  const retries = program.command('retries').description('retries of many sends at once');
  created(retries, 'retries')
    .description('print what retrying the sends of a filter would come to, ask, and retry exactly these')
    .option('--state <states>', 'in one of these states, with commas [all that may be retried]')
    .option('--stale', 'also what has been due for more than a day');
  addRest(retries, 'retries');
}

export function addResolves(program: Command): void {
  const resolves = program.command('resolves').description('resolutions of many uncertain sends at once');
  created(resolves, 'resolves')
    .description('print which uncertain sends of a filter would be resolved, ask, and resolve exactly these')
    .option('--sent', 'they went out')
    .option('--not-sent', 'they never went out: they can be retried then')
    .option('--reason <text>', 'shown to people');
  addRest(resolves, 'resolves');
}

function created(group: Command, kind: SetKind): Command {
  return withFilters(withJson(group.command('create')), SEND_FILTERS)
    .addOption(several('--id <id>', 'only this send'))
    .option('--preview', 'only print what it would do')
    .option('-y, --yes', 'do it without asking')
    .option('--wait', 'wait until it is done')
    .action(async (options: SetOptions) => (await import('./run-set.js')).createSet(kind, options));
}

function addRest(group: Command, kind: SetKind): void {
  withFilters(withList(group.command('list', { isDefault: true })), [OF_SERVICE])
    .description('print previews and sets, newest first')
    .action(async (options: ListOptions) => (await import('./list-sets.js')).listSets(kind, options));
  withJson(group.command('show'))
    .description('print how far a set is')
    .argument('<token>', `"carillon ${kind} list" prints it`)
    .action(async (token: string, options: object) =>
      (await import('./run-set.js')).showSet(kind, token, options),
    );
}
