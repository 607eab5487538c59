// The commands about push projects: `carillon projects …`, and the stop and start of all of them; by HTTP.
import type { Command } from 'commander';
import type { AddOptions } from './change-project.js';
import { several, withJson, withList } from '../shell/command-options.js';
import type { ListOptions } from '../shell/list-of.js';
import type { JsonOption } from '../shell/output.js';
import { SECRET_VARIABLE } from '../shell/usage-error.js';
import type { StopOptions } from './stop-projects.js';

export function addProjects(program: Command): void {
  const project = program.command('projects').description('push projects');
  withList(project.command('list', { isDefault: true }))
    .description('print the push projects of the token, and what blocks them')
    .action(async (options: ListOptions) => (await import('./list-projects.js')).listProjects(options));
  withJson(project.command('check'))
    .description('ask its gateway whether it can be used, without sending anything; exit code 1 if not')
    .argument('<serviceId>', 'the push project')
    .action(async (serviceId: string, options: JsonOption) =>
      (await import('./list-projects.js')).checkProject(serviceId, options),
    );
  withJson(project.command('add'))
    .description(`add a push project; its secret key is read from standard input, or from ${SECRET_VARIABLE}`)
    .argument('<serviceId>', 'the push service’s id of it, and ours')
    .requiredOption('--base-url <url>', 'where its push gateway answers')
    .requiredOption('--access-key <key>', 'the access key that signs its requests')
    .addOption(several('--source <source>', 'an event source it takes over Kafka, exact or prefix/*'))
    .addOption(
      several('--set <name=value>', 'any other setting of POST /v1/projects, its value as JSON or text'),
    )
    .action(async (serviceId: string, options: AddOptions) =>
      (await import('./change-project.js')).addProject(serviceId, options),
    );
  withJson(project.command('set'))
    .description('change settings of a push project')
    .argument('<serviceId>', 'the push project')
    .argument(
      '<name=value...>',
      'settings of PATCH /v1/projects/{id}, values as JSON or text, such as rejectionsTopic=shop.rejections',
    )
    .action(async (serviceId: string, given: string[], options: JsonOption) =>
      (await import('./change-project.js')).setProject(serviceId, given, options),
    );
  addStops(program, project);
  addKeys(project.command('keys').description('the access keys of a push project, two at most'));
}

const STOPS = {
  stop: 'nothing is sent from then on',
  start: 'what was held is sent; late sends follow the lateness of their policy',
} as const;

function addStops(program: Command, project: Command): void {
  withJson(project.command('show'))
    .description('print what blocks a push project and what is still delivered for it')
    .argument('<serviceId>', 'the push project')
    .action(async (serviceId: string, options: JsonOption) =>
      (await import('./stop-projects.js')).showProject(serviceId, options),
    );
  for (const act of ['stop', 'start'] as const) {
    const [one, all] = [project.command(act), program.command(act)];
    one
      .description(`${act} a push project: ${STOPS[act]}`)
      .argument('<serviceId>', 'the push project')
      .action(async (serviceId: string, options: StopOptions) =>
        (await import('./stop-projects.js')).stopOrStart(act, serviceId, options),
      );
    all
      .description(`${act} all push projects that the token holds: ${STOPS[act]}`)
      .action(async (options: StopOptions) =>
        (await import('./stop-projects.js')).stopOrStart(act, undefined, options),
      );
    for (const command of [withJson(one), withJson(all)]) {
      command
        .option('--reason <text>', 'shown to people')
        .option('--preview', 'only count what is held, and what is still delivered');
      if (act === 'stop')
        command.option(
          '--recall',
          'also ask the push service to give back what it holds; start puts it back',
        );
    }
  }
}

/** A rotation: add a key, wait until it signs, disable the old key at the gateway, remove it here. */
function addKeys(group: Command): void {
  withJson(group.command('add'))
    .description(
      `put a new key first; its secret key is read from standard input, or from ${SECRET_VARIABLE}`,
    )
    .argument('<serviceId>', 'the push project')
    .requiredOption('--access-key <key>', 'the access key that signs from now on')
    .action(async (serviceId: string, options: JsonOption & { accessKey: string }) =>
      (await import('./change-project.js')).addProjectKey(serviceId, options),
    );
  withJson(group.command('remove'))
    .description('remove a key, but not the last one')
    .argument('<serviceId>', 'the push project')
    .argument('<accessKey>', 'the key that its gateway no longer takes')
    .action(async (serviceId: string, accessKey: string, options: JsonOption) =>
      (await import('./change-project.js')).removeProjectKey(serviceId, accessKey, options),
    );
}
