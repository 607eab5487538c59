// carillon project add: a push project with its key, for the first production start.
import { Command } from 'commander';
import type { AddOptions } from './add-project.js';
import { collect, SECRET_VARIABLE } from './arguments.js';
import { withJson } from './output.js';

export function projectCommand(): Command {
  const add = new Command('add')
    .description(`add a push project; its secret key is read from standard input, or from ${SECRET_VARIABLE}`)
    .argument('<serviceId>', 'the push service’s id of it, and ours')
    .requiredOption('--base-url <url>', 'where its push gateway answers')
    .requiredOption('--access-key <key>', 'the access key that signs its requests')
    .option(
      '--source <source>',
      'an event source it takes over Kafka, exact or prefix/*; may be given several times',
      collect,
      [],
    )
    .option(
      '--set <name=value>',
      'any other setting of POST /v1/projects, its value as JSON or text',
      collect,
      [],
    );
  return new Command('project').description('push projects').addCommand(
    withJson(add).action(async (serviceId: string, options: AddOptions) => {
      const { addProject } = await import('./add-project.js');
      await addProject(serviceId, options);
    }),
  );
}
