// The commands about zones: `carillon zones …`, by HTTP. `carillon tz` is about the rules of this machine.
import { Option, type Command } from 'commander';
import { withJson, withList } from '../shell/command-options.js';
import type { DriftOptions, ZonesOptions } from './list-zones.js';
import type { PutZonesOptions } from './put-zones.js';

export function addZones(program: Command): void {
  const zones = program.command('zones').description('time zones, and the directory of the zones of users');
  withList(zones.command('list', { isDefault: true }), 1_000)
    .description('print the zones that a campaign may name, with their clocks now')
    .option('--like <text>', 'whose names have this in them')
    .action(async (options: ZonesOptions) => (await import('./list-zones.js')).listZones(options));
  withJson(zones.command('put'))
    .description(
      'put zones of users into the directory: rows of userId,zone as CSV or NDJSON, also .gz and .zst',
    )
    .argument('<file>', "the file; '-' is standard input")
    .requiredOption('--service <serviceId>', 'the push project')
    .addOption(
      new Option('--format <format>', 'csv or ndjson [by the name of the file]').choices(['csv', 'ndjson']),
    )
    .action(async (file: string, options: PutZonesOptions) =>
      (await import('./put-zones.js')).putZones(file, options),
    );
  withList(zones.command('drift'))
    .description('print users whose clock the directory and the push service tell differently')
    .requiredOption('--service <serviceId>', 'the push project')
    .action(async (options: DriftOptions) => (await import('./list-zones.js')).listDrift(options));
}
