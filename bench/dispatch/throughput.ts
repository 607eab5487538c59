// Due sends dispatched a second, from the claim to the recorded outcome with attempt, history and outbox rows, against
// the same signed calls by the same client without any database: alternating rounds, the median of their ratios.
import { v7 } from 'uuid';
import { median, timedAsync, type Finding } from '../measure.js';
import { IN_FLIGHT, SERVICE, type Stage } from './stage.js';

const SENDS = 4_000;
const ROUNDS = 5;

export async function throughput(stage: Stage): Promise<Finding> {
  const ratios: number[] = [];
  const shown: string[] = [];
  // The first round warms both sides.
  for (let round = -1; round < ROUNDS; round += 1) {
    const bare = SENDS / (await timedAsync(() => bareCalls(stage)));
    const campaign = await stage.plan(SENDS, stage.clock.now());
    const ours = SENDS / (await timedAsync(() => dispatchAll(stage)));
    await check(stage, campaign);
    if (round < 0) continue;
    ratios.push(ours / bare);
    shown.push(`${Math.round(ours * 1_000)}/${Math.round(bare * 1_000)}`);
  }
  return {
    name: 'due sends dispatched a second, claim to recorded outcome, against the same signed calls without a database',
    value: median(ratios),
    unit: '×',
    bound: { kind: 'at least', value: 0.35 },
    detail: `${SENDS} sends, ${IN_FLIGHT} at once; ours/bare a second by round: ${shown.join(', ')}`,
  };
}

async function bareCalls({ pushApi }: Stage): Promise<void> {
  let left = SENDS;
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const body = JSON.stringify({
        messageType: 'NOTIF',
        message: { default: { content: 'Hello from the bench' } },
        target: { type: 'USER', to: [`user-${left}`] },
      });
      const answer = await pushApi.send({ serviceId: SERVICE, sendId: v7(), body });
      if (answer.status !== 202) throw new Error(`the stub answered ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
}

async function dispatchAll(stage: Stage): Promise<void> {
  const { dispatch, woken } = stage.dispatcher();
  let done = 0;
  while (done < SENDS) {
    const wake = woken();
    const claimed = await dispatch.runOnce();
    done += claimed;
    if (claimed === 0) await wake;
  }
  // Ends once everything on the wire is written down; what waits in memory has to leave first.
  while (dispatch.pending > 0) await woken();
  await dispatch.stop();
}

async function check({ sql }: Stage, campaign: string): Promise<void> {
  const rows: { state: string; n: number }[] = await sql.query(
    'select state, count(*)::int as n from send where campaign = $1 group by state',
    [campaign],
  );
  const [row] = rows;
  if (rows.length !== 1 || row?.state !== 'accepted' || row.n !== SENDS) {
    throw new Error(`not every send was accepted: ${JSON.stringify(rows)}`);
  }
}
