// Administration: projects, tokens, the audit log, health, and who may call.
import type { Type } from '@nestjs/common';
import { JoinedDatabase } from '../../platform/database/request-transaction.js';
import { findingOfServices, type PartialFinding } from '../../platform/http/health.js';
import { RefusedAuthentication } from '../../platform/http/refused-authentication.js';
import type { Core } from '../core.js';
import type { PushClient } from '../push-client/stage.js';
import { AuditController } from './audit.controller.js';
import type { RefusedBecause } from './auth/auth.guard.js';
import { Budgets } from './auth/budgets.js';
import { authMetrics } from './auth/metrics.js';
import { SessionController } from './auth/session.controller.js';
import { HealthController } from './health/health.controller.js';
import { callStates } from './projects/call-state.store.js';
import { ChangeProject } from './projects/change-project.js';
import { CheckGateway } from './projects/check-gateway.js';
import { projectMetrics } from './projects/metrics.js';
import { ProjectsController } from './projects/projects.controller.js';
import { StopController } from './projects/stop.controller.js';
import { StopProject } from './projects/stop-project.js';
import { ChangeToken } from './tokens/change-token.js';
import { TokensController } from './tokens/tokens.controller.js';

export const ADMIN_CONTROLLERS: readonly Type[] = [
  AuditController,
  HealthController,
  ProjectsController,
  SessionController,
  StopController,
  TokensController,
];

type Dispatching =
  { unusable(): readonly { readonly serviceId: string; readonly text: string }[] } | undefined;

/** `dispatch` is undefined where this process does not dispatch. */
export function adminStage(core: Core, { calls, pushApi }: PushClient, dispatch: Dispatching) {
  const { config, clock, log, tokens } = core;
  const metrics = authMetrics();
  const database = new JoinedDatabase(core.api);
  const projects = new ChangeProject({
    ...core,
    database,
    hosts: config.push.hosts,
    topics: Object.values(core.topics),
    rejectionTopics: config.rejectionTopics,
  });
  return {
    /** For the guard that every request passes. */
    trace: new RefusedAuthentication<RefusedBecause>({ count: metrics.refused, log, clock }),
    providers: [
      { provide: ChangeProject, useValue: projects },
      { provide: StopProject, useValue: new StopProject(database, clock) },
      { provide: ChangeToken, useValue: new ChangeToken(database, tokens, clock) },
      { provide: CheckGateway, useValue: new CheckGateway(pushApi, clock, calls) },
      { provide: Budgets, useValue: new Budgets(config.budgets, clock, metrics.spent) },
    ],
    checks: [{ name: 'push projects', isNote: true, find: () => notCalled(core, dispatch) }],
    metrics: [...Object.values(metrics), ...projectMetrics(core)],
  };
}

const WHAT_TO_DO: Readonly<Record<string, string>> = {
  STOPPED: 'stopped by hand, POST /v1/projects/{id}/start starts it',
  BAD_KEY: 'the gateway refuses its key: set one that it takes',
};

/** Projects that cannot be called because of a fault of ours, then those that are blocked. */
async function notCalled(
  { database: sql, clock }: Core,
  dispatch: Dispatching,
): Promise<PartialFinding | undefined> {
  const unusable = dispatch?.unusable() ?? [];
  // The database has a check of its own, so its outage is no finding here.
  const states = await callStates(sql, new Date(clock.now())).catch(() => []);
  const blocked = states.flatMap(({ serviceId, blockedCode: code }) =>
    code === null || unusable.some((one) => one.serviceId === serviceId)
      ? []
      : [
          {
            serviceId,
            text: `it is blocked (${code})${code in WHAT_TO_DO ? `, ${WHAT_TO_DO[code] ?? ''}` : ''}`,
          },
        ],
  );
  return findingOfServices([...unusable, ...blocked]);
}
