// carillon plan FILE: what would become of a campaign, offline.
import { Command } from 'commander';
import { collect, wholeNumber } from '../arguments.js';
import type { PlanOptions } from './explain-plan.js';
import { withJson } from '../output.js';

export function planCommand(): Command {
  const command = new Command('plan')
    .description(
      'explain what a campaign event would do, without database or network. Exit code 0: it can be planned; ' +
        '1: it would be rejected, or planning refuses it; 2: the call or the file cannot be used',
    )
    .argument('<file>', 'a campaign event as JSON, or its data alone')
    .option('--now <instant>', 'plan as if it were then, such as 2027-03-01T00:00:00Z [now]')
    .option('--zone <zone>', 'the project’s default zone', 'Asia/Seoul')
    .option(
      '--principal <country=zone>',
      'a country’s principal zone; may be given several times',
      collect,
      [],
    )
    .option('--max-to <ids>', 'userIds in one request', wholeNumber, 1_000)
    .option('--rate <requests>', 'requests a second', wholeNumber, 10)
    .option('--no-reservations', 'the project makes no reservations')
    .option('--min-reserve-lead <seconds>', 'nothing nearer is reserved', wholeNumber, 180)
    .option('--horizon <days>', 'nothing further off is reserved yet', wholeNumber, 30);
  return withJson(command).action(async (file: string, options: PlanOptions) => {
    const { explainPlan } = await import('./explain-plan.js');
    explainPlan(file, options);
  });
}
