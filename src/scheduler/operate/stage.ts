// The operators' work: the use cases behind the routes of the api role, the loops that work on sets of sends to retry or resolve
// (role dispatch), and the loops that work on acts on campaigns and end what is held past its time (role follow).
import type { Type } from '@nestjs/common';
import { JoinedDatabase } from '../../platform/database/request-transaction.js';
import type { LoopOptions } from '../../platform/loops/loops.js';
import type { Core } from '../core.js';
import type { PushClient } from '../push-client/stage.js';
import { askDelivered } from './ask-delivered.js';
import { ActOnCampaign } from './changes/act-on-campaign.js';
import { ActsController } from './changes/acts.controller.js';
import { AnswerApproval } from './changes/answer-approval.js';
import { ApprovalController } from './changes/approval.controller.js';
import { ExpireHeld } from './changes/expire-held.js';
import { RecallStopped } from './changes/recall-stopped.js';
import { WorkActs } from './changes/work-acts.js';
import { ManySends } from './many-sends.js';
import { OperateSendsController } from './operate.controller.js';
import { RESOLVES, WorkResolves } from './resolve-many.js';
import { ResolveSend } from './resolve-send.js';
import { RETRIES } from './retry-many.js';
import { RetrySend } from './retry-send.js';
import { RESOLVE_SETS, ResolvesController, RETRY_SETS, RetriesController } from './sets.controller.js';
import { WorkRetries } from './work-retries.js';
import { WorkSets } from './work-sets.js';

export const OPERATE_CONTROLLERS: readonly Type[] = [
  ActsController,
  ApprovalController,
  OperateSendsController,
  RetriesController,
  ResolvesController,
];

/** Requests wake the loops; without one, they look this often for work that a dead process has left. */
const IDLE_MS = 30_000;

/** Workers whose pages ask a gateway: a gateway that answers slowly holds up one of them, and no page that asks nobody. */
const ASKERS = 4;

export function operateStage(core: Core, { calls, pushApi }: PushClient) {
  const { config, database, projects, rules, clock, loops } = core;
  const wakeAskers = (): void => loops.wake('sets-ask');
  const work = new WorkSets(
    { database, projects, clock, wakeIn: (ms) => void setTimeout(wakeAskers, ms).unref() },
    {
      retry: new WorkRetries({
        database,
        rules,
        clock,
        askDelivered: askDelivered(pushApi, calls, 'retries'),
      }),
      resolve: new WorkResolves({ clock }),
    },
  );
  const own: LoopOptions[] = [];
  if (config.roles.has('dispatch')) {
    const pages = (): Promise<number> => {
      wakeAskers();
      return work.runOnce(undefined, false);
    };
    own.push({ name: 'sets', runOnce: pages, idleMs: IDLE_MS });
    const questions = (): Promise<number> => work.runOnce(undefined, true);
    own.push({ name: 'sets-ask', runOnce: questions, idleMs: IDLE_MS, workers: ASKERS });
  }
  if (config.roles.has('follow')) {
    const wakeIn = (ms: number): void => void setTimeout(() => loops.wake('acts'), ms).unref();
    const acts = new WorkActs({ database, clock, wakeIn });
    own.push({ name: 'acts', runOnce: () => acts.runOnce(), idleMs: IDLE_MS });
    const recall = new RecallStopped(database, clock);
    own.push({ name: 'recall', runOnce: () => recall.runOnce(), idleMs: IDLE_MS });
    const held = new ExpireHeld({ database, clock, rules });
    own.push({ name: 'expire-held', runOnce: () => held.runOnce(), idleMs: IDLE_MS });
  }
  const joined = new JoinedDatabase(database);
  const askForRetry = askDelivered(pushApi, calls, 'retry');
  const ofMany = { database: joined, clock, work };
  return {
    loops: own,
    providers: [
      { provide: ActOnCampaign, useValue: new ActOnCampaign(joined, clock, rules) },
      { provide: AnswerApproval, useValue: new AnswerApproval(joined, clock) },
      { provide: ResolveSend, useValue: new ResolveSend(joined, clock) },
      {
        provide: RetrySend,
        useValue: new RetrySend({ database: joined, clock, askDelivered: askForRetry }),
      },
      { provide: RETRY_SETS, useValue: new ManySends(ofMany, RETRIES) },
      { provide: RESOLVE_SETS, useValue: new ManySends(ofMany, RESOLVES) },
    ],
  };
}
