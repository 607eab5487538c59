// The commands about sends: `carillon sends …`, `carillon failures` and `carillon uncertain`, by HTTP.
import type { Command } from 'commander';
import { withJson, withList } from '../shell/command-options.js';
import { withFilters } from '../shell/filters.js';
import type { ListOptions } from '../shell/list-of.js';
import type { FailuresOptions } from './list-failures.js';
import type { SendsOptions } from './list-sends.js';
import { SEND_FILTERS } from './send-filters.js';
import type { ResolveOptions, RetryOptions } from './show-send.js';

const ID = ['<id>', 'our id of the send, as "carillon sends list" prints it'] as const;

export function addSends(program: Command): void {
  const sends = program.command('sends').description('the requests that go to push services');
  withFilters(withList(sends.command('list', { isDefault: true })), SEND_FILTERS)
    .description('print sends, oldest first')
    .option('--state <states>', 'in one of these states, with commas')
    .option('--newest', 'newest first')
    .option('--all', 'also those that a retry or a revision replaced')
    .action(async (options: SendsOptions) => (await import('./list-sends.js')).listSends(options));
  withJson(sends.command('show'))
    .description('print a send, its history and the calls that were made for it')
    .argument(...ID)
    .action(async (id: string, options: object) => (await import('./show-send.js')).showSend(id, options));
  withJson(sends.command('retry'))
    .description('send once more what ended badly')
    .argument(...ID)
    .option('--accept-duplicates', 'although some of its devices got it')
    .action(async (id: string, options: RetryOptions) =>
      (await import('./show-send.js')).retrySend(id, options),
    );
  withJson(sends.command('resolve'))
    .description('say what became of an uncertain send')
    .argument(...ID)
    .option('--sent', 'it went out')
    .option('--not-sent', 'it never went out: it can be retried then')
    .option('--request-id <id>', 'with --sent: the push service’s id of it, by which it is followed')
    .option('--reason <text>', 'shown to people')
    .action(async (id: string, options: ResolveOptions) =>
      (await import('./show-send.js')).resolveSend(id, options),
    );
}

export function addFailures(program: Command): void {
  withFilters(withList(program.command('failures')), SEND_FILTERS)
    .description(
      'print sends that need somebody, in groups, the largest first; -q prints the options that name their sends',
    )
    .option('--state <states>', 'in one of these states, with commas [all that need somebody]')
    .option(
      '--group-by <keys>',
      'code, project, campaign, zone, mode, httpStatus, with commas',
      'code,project',
    )
    .action(async (options: FailuresOptions) => (await import('./list-failures.js')).listFailures(options));
}

export function addUncertain(program: Command): void {
  withFilters(withList(program.command('uncertain')), SEND_FILTERS)
    .description('print sends of which nobody knows whether they went out, oldest first')
    .action(async (options: ListOptions) => (await import('./list-sends.js')).listUncertain(options));
}
