// Works on sets of sends, page by page: finds the sends that a preview's filter names, asks for results where needed, and retries or
// resolves the confirmed ones. A page belongs to one project of one set, and moves its sends to their next step in one transaction.
// If a process dies, another goes on when the lease ends.
import type { Clock } from '../../platform/clock.js';
import type { Database, Sql } from '../../platform/database/database.js';
import { writeAudit } from '../store/audit.store.js';
import type { ProjectStore } from '../store/project.store.js';
import {
  claimSetPage,
  endSetPage,
  pageOfSet,
  STEPS,
  type SetCounts,
  type SetKind,
  type SetMove,
  type SetPageEnd,
  type SetProject,
} from '../store/send/send-set.store.js';

export interface SetDeps {
  readonly database: Database;
  readonly projects: Pick<ProjectStore, 'get'>;
  readonly clock: Clock;
  /** Wakes the loops whose pages ask a gateway, after `ms` real milliseconds; left out: no page asks. */
  readonly wakeIn?: (ms: number) => void;
}

/** How many sends a page of `find` reads, whether the filter names them or not. */
const FIND_PAGE = 1_000;
/** Sends of one transaction, so that locks are short. */
const ACT_PAGE = 500;
/** Real milliseconds between pages of questions. A page takes a quarter of the project's rate, so that due sends go first. */
const ASK_EVERY_MS = 1_000;
/** Longer than a page of questions that all time out at the longest PUSH_TIMEOUT_MS. */
const LEASE_MS = 150_000;
const NO_SEND = '00000000-0000-0000-0000-000000000000';

/** The code of sends that are left out because their project is blocked for longer than a preview is valid. */
export const BLOCKED = 'PROJECT_BLOCKED';

export type Moves = Map<string, SetMove>;

/** The steps of one kind of set. */
export interface SetWork {
  /** Judges each send as of now: why it is left out, or whether the push service is asked about it first. */
  find(part: SetProject, sends: readonly string[], ratePerSecond: number): Promise<Moves>;
  /** Asks about the sends that `find` chose for it. Sends that could not be asked about are missing. */
  ask(part: SetProject, sends: readonly string[]): Promise<Moves>;
  /** Does it in the caller's transaction, to the sends that are still as they were found. */
  act(sql: Sql, part: SetProject, sends: readonly string[], ratePerSecond: number): Promise<Moves>;
  /** The audit row of a project's share of the confirmed set: what it came to. */
  ended(part: SetProject): { readonly action: string; readonly after: object };
}

export class WorkSets {
  constructor(
    private readonly deps: SetDeps,
    private readonly works: Readonly<Record<SetKind, SetWork>>,
  ) {}

  /**
   * One page, only of the set `only` where given. `asks`: only pages that ask a gateway, or only others. Returns how many pages
   * it did.
   */
  async runOnce(only?: string, asks?: boolean): Promise<number> {
    const part = await claimSetPage(this.deps.database, LEASE_MS, only, asks);
    if (part === undefined) return 0;
    const pauseMs = await this.#page(part);
    if (pauseMs !== null && pauseMs > 0) this.deps.wakeIn?.(pauseMs);
    return 1;
  }

  /** Works on one set until it has to wait, or until `ms` real milliseconds have passed: a small set ends within the request. */
  async advance(token: string, ms: number): Promise<void> {
    const until = this.deps.clock.elapsed() + ms;
    while (this.deps.clock.elapsed() < until) if ((await this.runOnce(token)) === 0) return;
  }

  /** Returns the real milliseconds until the next page; null: there is nothing more to do. */
  async #page(part: SetProject): Promise<number | null> {
    const { database, projects, clock } = this.deps;
    const { step } = part;
    const work = this.works[part.kind];
    const { ratePerSecond: rate = 1, inFlight = 1 } = (await projects.get(part.serviceId)) ?? {};
    const isFind = step === STEPS.find;
    const asks = isQuestion(step);
    const most = asks ? Math.min(Math.ceil(rate / 4), inFlight) : isFind ? FIND_PAGE : ACT_PAGE;
    const rows = await pageOfSet(database, part, most);
    const sends = rows.filter(({ named }) => named).map(({ send }) => send);
    const seen = asks ? await work.ask(part, sends) : isFind ? await work.find(part, sends, rate) : undefined;
    return database.transaction(async (sql) => {
      const moves = seen ?? (await work.act(sql, part, sends, rate));
      count(part, moves);
      const turn = turnAfter(part, { rows, most, sends, moves });
      if (step === STEPS.act && turn.step === STEPS.done) await this.#auditEnd(sql, part);
      await endSetPage(sql, part, { moves, ...turn, now: new Date(clock.now()) });
      return turn.pauseMs;
    });
  }

  async #auditEnd(sql: Sql, part: SetProject): Promise<void> {
    const at = new Date(this.deps.clock.now());
    const { token: target, by: who, serviceId } = part;
    await writeAudit(sql, { at, who, target, serviceId, ...this.works[part.kind].ended(part) });
  }
}

const isQuestion = (step: number): boolean => step !== STEPS.find && step !== STEPS.act;

interface WorkedPage {
  readonly rows: readonly { readonly send: string }[];
  /** How many rows there could be. */
  readonly most: number;
  /** Those of the rows that the filter names. */
  readonly sends: readonly string[];
  readonly moves: Moves;
}

/** Where the next page begins, and when. */
function turnAfter(
  { step, counts, afterSend }: SetProject,
  { rows, most, sends, moves }: WorkedPage,
): Pick<SetPageEnd, 'step' | 'afterSend' | 'pauseMs'> {
  const asks = isQuestion(step);
  // The next page begins with the first send that could not be asked about.
  const waiting = asks ? sends.findIndex((send) => !moves.has(send)) : -1;
  const last = waiting < 0 ? rows.at(-1)?.send : sends[waiting - 1];
  const isOver = waiting < 0 && rows.length < most;
  const next = isOver ? stepAfter(step, counts) : step;
  const hasAsked = asks && (waiting >= 0 || [...moves.values()].some((to) => to !== BLOCKED));
  const pauseMs = next !== step && next >= STEPS.act ? null : hasAsked ? ASK_EVERY_MS : 0;
  return { step: next, afterSend: isOver ? NO_SEND : (last ?? afterSend), pauseMs };
}

function stepAfter(step: number, { asked = 0, toAsk = 0 }: SetCounts): number {
  if (step === STEPS.act) return STEPS.done;
  return asked < toAsk ? step + 1 : STEPS.act;
}

export function add<Name extends string>(counts: Partial<Record<Name, number>>, name: Name): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function count({ step, counts, leftOut }: SetProject, moves: Moves): void {
  for (const to of moves.values()) {
    const isLeftOut = typeof to === 'string';
    if (isLeftOut) add(leftOut, to);
    if (step === STEPS.find) add(counts, 'found');
    if (step === STEPS.find && to === STEPS.ask) add(counts, 'toAsk');
    if (step > STEPS.find && step < STEPS.act && (isLeftOut || to === STEPS.act)) add(counts, 'asked');
    if (to === STEPS.done) add(counts, 'done');
  }
}
