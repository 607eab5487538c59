// carillon doctor: looks at everything the scheduler stands on, one line each: ok, or what to do. Changes nothing.
import { Command } from 'commander';
import type { Line } from './line.js';
import { print, withJson, type JsonOption } from './output.js';

export function doctorCommand(): Command {
  const command = new Command('doctor').description(
    'check configuration, database, migrations, Kafka, push gateways, clock and zone rules; exit code 1 if one fails; push gateways are noted',
  );
  return withJson(command).action(async (options: JsonOption) => {
    const { examine } = await import('./doctor.js');
    const lines = await examine();
    const ok = lines.every((line) => line.ok || line.note);
    print(options, { ok, lines }, lines.map(humanLine).join('\n'));
    if (!ok) process.exitCode = 1;
  });
}

function humanLine({ name, ok, note, text }: Line): string {
  return `${ok ? 'ok' : note ? 'NB' : 'NO'}  ${name.padEnd(22)}  ${text}`;
}
