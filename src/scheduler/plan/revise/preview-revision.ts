// Counts what a revision of a campaign would do now: plans it and compares it as the planner does, on rows of its own, in a transaction
// that is undone. Locks nothing of the campaign, and keeps nothing.
import { v7 } from 'uuid';
import type { Database, Sql } from '../../../platform/database/database.js';
import { keepsPlaces, revisionChange } from '../../decide/lifecycle/revision.js';
import type { Campaign } from '../../decide/plan/campaign.js';
import type { PlanProblem } from '../../decide/plan/plan-types.js';
import { judgeRevision } from '../../store/revision/judge-revision.store.js';
import { fixed } from '../../store/revision/reject-revision.store.js';
import {
  countRevision,
  type RevisionPreview,
  type RevisionPreviewer,
} from '../../store/send/revision-preview.store.js';
import { insertOccurrences } from '../../store/send/planned-rows.store.js';
import { compareRevision } from '../../store/send/revise.store.js';
import { readJobs, withList, type PlanJobDeps, type ReadJob } from '../plan-jobs.js';
import type { PagedPlan, PlanMaker } from '../plan-maker.js';
import { PlanOutdatedError, writePages } from '../write-plans.js';
import { revisionToPreview, type RevisionToPreview } from './revision-to-preview.store.js';
import { besideOthers, isTest } from './write-revisions.js';

interface PreviewRevisionDeps extends PlanJobDeps {
  readonly database: Database;
  readonly plans: PlanMaker;
}

type Found = Pick<RevisionToPreview, 'asksApproval'> & Pick<ReadJob, 'job' | 'one'>;

/** The author in rows that are undone. */
const NOBODY = 'preview';
/** How often it begins anew because the ids of a list changed meanwhile. */
const TRIES = 3;

const NOTHING: Omit<RevisionPreview, 'verdict' | 'reasons'> = {
  difference: null,
  atOnce: 0,
  askedOfPushService: 0,
  inFlight: 0,
  tooLate: 0,
  late: { expire: 0, send: 0 },
  firstDueAt: null,
};

export class PreviewRevision implements RevisionPreviewer {
  constructor(private readonly deps: PreviewRevisionDeps) {}

  /** Throws WorkersBusyError where no thread becomes free. A list whose ids are planned anew is copied once, as by the act. */
  async preview(campaign: string, after: Campaign): Promise<RevisionPreview | undefined> {
    const found = await revisionToPreview(this.deps.database, campaign, after);
    if (found === undefined) return undefined;
    for (let left = TRIES; ; left -= 1) {
      try {
        return await this.#count(found);
      } catch (error) {
        if (!(error instanceof PlanOutdatedError) || left <= 1) throw error;
      }
    }
  }

  async #count({ one, asksApproval }: RevisionToPreview): Promise<RevisionPreview> {
    const { database, plans } = this.deps;
    const beside = v7();
    return undone(database, async (sql) => {
      const [read] = await readJobs(database, this.deps, [one]);
      if (read === undefined) throw new Error('nothing was read of a campaign');
      const whole = await withList(sql, this.deps, read, beside);
      const job = { ...whole.job, id: beside, withTest: false };
      const made = await plans.make(job);
      if (made.refusal !== undefined) return rejected(made.refusal, NOTHING);
      return compared(sql, { asksApproval, one, job }, made);
    });
  }
}

async function compared(
  sql: Sql,
  { one, job, asksApproval }: Found,
  made: PagedPlan,
): Promise<RevisionPreview> {
  const { id: campaign, before, canceled: kept } = one;
  const { id: beside, campaign: after, now } = job;
  const pages = made.units.flatMap((unit) => unit.pages);
  const occurrences = await writePages(sql, pages, { now, by: NOBODY }, besideOthers);
  const own = occurrences.filter((row) => !isTest(row));
  await insertOccurrences(sql, own, now, 'next');
  const difference = await compareRevision(sql, {
    campaign,
    beside,
    sameContent: before !== null && !revisionChange(before, after).content,
    keepsPlaces: before !== null && keepsPlaces(before, after),
    kept,
    inForce: false,
  });
  const counts = await countRevision(sql, { campaign, beside, now: new Date(now) });
  const counted = { difference, ...counts, tooLate: difference.requests.late };
  const touched = before === null ? undefined : await judgeRevision(sql, { campaign, beside, before, after });
  if (touched?.isFixed === true) return rejected(fixed(), counted);
  const asks = asksApproval || after.policy.approval === 'required';
  return { verdict: asks ? 'awaits-approval' : 'takes-its-place', reasons: [], ...counted };
}

function rejected(
  { code, text, pointer }: PlanProblem,
  counted: Omit<RevisionPreview, 'verdict' | 'reasons'>,
): RevisionPreview {
  return { verdict: 'rejected', reasons: [{ code, text, pointer: pointer ?? '' }], ...counted };
}

/** Runs it in a transaction of its own, and undoes what it wrote. */
async function undone<Result>(database: Database, work: (sql: Sql) => Promise<Result>): Promise<Result> {
  const undo = new Error('a preview is only counted');
  let result: { readonly of: Result } | undefined;
  await database
    .transaction(async (sql) => {
      result = { of: await work(sql) };
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  if (result === undefined) throw undo;
  return result.of;
}
