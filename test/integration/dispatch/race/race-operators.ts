// Operators in the race: they cancel, pause and resume campaigns and single occurrences, and retry failed sends, each twice at once. They
// note sends that a cancel or a pause finds unsent, with the number of requests so far: none may follow while it stands.
import { SystemClock } from '../../../../src/platform/clock.js';
import { passesByItself } from '../../../../src/platform/database/database-away.js';
import { RolledBackError } from '../../../../src/platform/database/pooled-database.js';
import { Problem } from '../../../../src/platform/http/problem.js';
import { askDelivered } from '../../../../src/scheduler/operate/ask-delivered.js';
import { RetrySend } from '../../../../src/scheduler/operate/retry-send.js';
import type { CampaignAct } from '../../../../src/scheduler/decide/lifecycle/campaign-act.js';
import { askAct, type ActAnswer } from '../../../../src/scheduler/store/send/act.store.js';
import { eventually, lasting } from '../../../support/eventually.js';
import { sendStatementOf } from '../../../support/postgres/send-statements.js';
import type { RaceGateway } from './race-gateway.js';
import { rigOf } from '../../../support/scheduler/rig.js';
import type { World } from '../../../support/scheduler/world.js';

export interface OperatorDeps {
  readonly world: World;
  readonly gateway: RaceGateway;
  readonly random: () => number;
}

/** An act is committed this long before its sends are due, when a replica has looked ahead to them. */
const BEFORE_DUE_MS = 200;

interface Chosen {
  readonly campaign: string;
  /** undefined: all of it. */
  readonly occurrence: string | undefined;
}

export class RaceOperators {
  /** For each send that had not left when its cancel was committed: how many requests there were. */
  readonly unsent = new Map<string, number>();
  /** Sends that left while they were paused. */
  readonly leftPaused: string[] = [];
  paused = 0;
  readonly #canceled = new Set<string>();
  readonly #pausing = new Set<string>();

  constructor(private readonly deps: OperatorDeps) {}

  /** Cancels a campaign whose sends are about to leave, or only that occurrence. */
  async cancel(): Promise<void> {
    const chosen = await this.#chosen();
    if (chosen === undefined) return;
    this.#canceled.add(chosen.campaign);
    if ((await this.#ask('cancel', chosen)) !== 'asked') return;
    for (const [id, calls] of await this.#unsent(chosen, 'canceled')) this.unsent.set(id, calls);
  }

  /** Pauses as cancel() cancels, and resumes when its sends are due or a little later. */
  async pause(): Promise<void> {
    const { gateway, random } = this.deps;
    const chosen = await this.#chosen();
    if (chosen === undefined || this.#pausing.has(chosen.campaign)) return;
    this.#pausing.add(chosen.campaign);
    try {
      if ((await this.#ask('pause', chosen)) !== 'asked') return;
      const unsent = await this.#unsent(chosen, 'held');
      this.paused += unsent.size;
      await lasting(BEFORE_DUE_MS + random() * 2_000);
      for (const [id, calls] of unsent) if (gateway.callsOf(id).length > calls) this.leftPaused.push(id);
    } finally {
      await eventually(() => this.#ask('resume', chosen));
      this.#pausing.delete(chosen.campaign);
    }
  }

  /** A campaign whose sends are about to leave, or one occurrence of it alone. */
  async #chosen(): Promise<Chosen | undefined> {
    const { world, random } = this.deps;
    const open = await world.dataSource.query<{ campaign: string; occurrence: string }>(
      `select campaign, occurrence from send where state = 'planned' and campaign <> all($1::uuid[])
        group by 1, 2 having min(next_at) > $2 order by min(next_at), 1, 2 limit 5`,
      [[...this.#canceled], new Date(Date.now() + BEFORE_DUE_MS)],
    );
    const chosen = open[Math.floor(random() * open.length)];
    const alone = random() < 0.5;
    return chosen && { campaign: chosen.campaign, occurrence: alone ? chosen.occurrence : undefined };
  }

  async #ask(act: CampaignAct, chosen: Chosen): Promise<ActAnswer['kind']> {
    const ask = {
      ...chosen,
      act,
      now: new Date(),
      by: 'token:ops',
      code: `${act.toUpperCase()}_BY_OPERATOR`,
    };
    return (await this.deps.world.dataSource.transaction((sql) => askAct(sql, ask))).kind;
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

  /** The sends that have not left where the act stands, and how often each was asked for. */
  async #unsent({ campaign, occurrence }: Chosen, goal: string): Promise<Map<string, number>> {
    const { world, gateway } = this.deps;
    const [stood] = await world.dataSource.query<{ at: Date }>('select clock_timestamp() as at');
    // A fire that began before the commit of the act counts as earlier.
    await eventually(async () => {
      const running = await world.dataSource.query<{ query: string }>(
        "select query from pg_stat_activity where datname = current_database() and state = 'active' and xact_start <= $1",
        [stood?.at],
      );
      return running.every(({ query }) => sendStatementOf(query) !== 'fire');
    });
    const found = await world.dataSource.query<{ id: string }>(
      `select id from send where campaign = $1 and ($2::text is null or occurrence = $2) and state in ('planned', $3)`,
      [campaign, occurrence, goal],
    );
    await gateway.learn(world.dataSource);
    return new Map(found.map(({ id }) => [id, gateway.callsOf(id).length]));
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
