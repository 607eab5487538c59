// carillon audit: what people did by hand, by HTTP.
import type { Command } from 'commander';
import { withList } from '../shell/command-options.js';
import { withFilters } from '../shell/filters.js';
import type { ListOptions } from '../shell/list-of.js';
import { AUDIT_FILTERS } from './audit-filters.js';

export function addAudit(program: Command): void {
  withFilters(withList(program.command('audit')), AUDIT_FILTERS)
    .description('print what people did by hand, newest first; needs the role admin')
    .action(async (options: ListOptions) => (await import('./print-audit.js')).printAudit(options));
}
