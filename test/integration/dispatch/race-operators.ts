// Operators in the race: they cancel campaigns and single occurrences, and retry failed sends, each twice at once. They note sends that a
// cancel finds unsent, with the number of requests so far: none may follow.
import { SystemClock } from '../../../src/platform/clock.js';
import { passesByItself } from '../../../src/platform/database/database-away.js';
import { RolledBackError } from '../../../src/platform/database/pooled-database.js';
import { Problem } from '../../../src/platform/http/problem.js';
import { askDelivered } from '../../../src/scheduler/operate/ask-delivered.js';
import { RetrySend } from '../../../src/scheduler/operate/retry-send.js';
import { askCancel } from '../../../src/scheduler/store/send/cancel.store.js';
import { eventually, lasting } from '../../support/eventually.js';
import { sendStatementOf } from '../../support/send-statements.js';
import type { RaceGateway } from './race-gateway.js';
import { rigOf } from '../../support/scheduler/rig.js';
import type { World } from '../../support/scheduler/world.js';

export interface OperatorDeps {
  readonly world: World;
  readonly gateway: RaceGateway;
  readonly random: () => number;
}

/** A cancel is committed this long before its sends are due, when a replica has looked ahead to them. */
const BEFORE_DUE_MS = 200;

export class RaceOperators {
  /** For each send that had not left when its cancel was committed: how many requests there were. */
  readonly unsent = new Map<string, number>();
  readonly #canceled = new Set<string>();

  constructor(private readonly deps: OperatorDeps) {}

  /** Cancels a campaign whose sends are about to leave, or only that occurrence. */
  async cancel(): Promise<void> {
    const { world, random } = this.deps;
    const open = await world.dataSource.query<{ campaign: string; occurrence: string }>(
      `select campaign, occurrence from send where state = 'planned' and campaign <> all($1::uuid[])
        group by 1, 2 having min(next_at) > $2 order by min(next_at), 1, 2 limit 5`,
      [[...this.#canceled], new Date(Date.now() + BEFORE_DUE_MS)],
    );
    const chosen = open[Math.floor(random() * open.length)];
    const alone = random() < 0.5;
    if (chosen === undefined) return;
    this.#canceled.add(chosen.campaign);
    const occurrence = alone ? chosen.occurrence : undefined;
    const { campaign } = chosen;
    const ask = { campaign, occurrence, now: new Date(), by: 'token:ops', code: 'CANCELED_BY_OPERATOR' };
    const { kind } = await world.dataSource.transaction((sql) => askCancel(sql, ask));
    if (kind === 'asked') await this.#remember(campaign, occurrence);
  }

  /** Retries one send that failed or was refused, twice at once; the second is answered that it was retried already. */
  async retry(): Promise<void> {
    const { world, random } = this.deps;
    const failed = await world.dataSource.query<{ id: string }>(
      "select id from send where state in ('failed', 'rejected') and next_send is null order by id",
    );
    const chosen = failed[Math.floor(random() * failed.length)];
    if (chosen === undefined) return;
    const rig = rigOf(world, new SystemClock());
    const retrySend = new RetrySend({
      database: world.dataSource,
      askDelivered: askDelivered(rig.pushApi, rig.calls, 'retry'),
      clock: new SystemClock(),
    });
    const ask = { send: chosen.id, who: 'token:ops', holds: () => true, acceptDuplicates: false };
    const tried = await Promise.allSettled([retrySend.run(ask), retrySend.run(ask)]);
    await rig.stop();
    for (const one of tried) if (one.status === 'rejected') throw one.reason;
    throw new Error(`${chosen.id} was retried twice at once`);
  }

  async #remember(campaign: string, occurrence: string | undefined): Promise<void> {
    const { world, gateway } = this.deps;
    const [stood] = await world.dataSource.query<{ at: Date }>('select clock_timestamp() as at');
    // A fire that began before the commit of the cancel counts as earlier.
    await eventually(async () => {
      const running = await world.dataSource.query<{ query: string }>(
        "select query from pg_stat_activity where datname = current_database() and state = 'active' and xact_start <= $1",
        [stood?.at],
      );
      return running.every(({ query }) => sendStatementOf(query) !== 'fire');
    });
    const found = await world.dataSource.query<{ id: string }>(
      `select id from send where campaign = $1 and ($2::text is null or occurrence = $2) and state in ('planned', 'canceled')`,
      [campaign, occurrence],
    );
    for (const { id } of found) this.unsent.set(id, gateway.callsOf(id).length);
  }
}

/** Acts again and again until the race is over. An action that is refused or fails because the database is away is skipped. */
export async function again(
  everyMs: number,
  over: AbortSignal,
  act: () => Promise<void> | void,
): Promise<void> {
  while (!over.aborted) {
    try {
      await act();
    } catch (error) {
      const passes = error instanceof Problem || error instanceof RolledBackError || passesByItself(error);
      if (!passes) throw error;
    }
    await lasting(everyMs);
  }
}
