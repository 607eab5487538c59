// Stops and starts a project, or all projects of a token: from the commit on nothing is sent for them. A stop with a recall also has the
// loop `recall` ask back what the push service holds.
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.js';
import type { Database, Sql } from '../../../platform/database/database.js';
import { writeAudit } from '../../store/audit.store.js';
import { ALL, listProjects, startProjects, stopProjects, ProjectView } from './project-write.store.js';
import { stopCounts, StopCounts } from './stop-counts.store.js';

export const StoppedProject = z
  .object({
    serviceId: z.string(),
    blocked: ProjectView.shape.blocked,
    recalled: ProjectView.shape.recalled,
    changed: z.boolean().describe('false: it stood so before, or this is a preview'),
    ...StopCounts.shape,
  })
  .meta({ id: 'StoppedProject' });
export type StoppedProject = z.output<typeof StoppedProject>;

export interface StopOrder {
  readonly act: 'stop' | 'start';
  /** null: all projects. */
  readonly serviceIds: readonly string[] | null;
  readonly who: string;
  readonly reason?: string | undefined;
  /** Of a stop: the push service is asked to give back what it holds. */
  readonly recall: boolean;
  /** Only counts. */
  readonly preview: boolean;
}

export class StopProject {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** One answer for each of the projects that exist, in order of serviceId. Counted after the commit, so that nobody waits for that. */
  async run(order: StopOrder): Promise<StoppedProject[]> {
    const now = new Date(this.clock.now());
    const changes = await (order.preview
      ? projectsOf(this.database, order, now).then((all) => all.map((one) => ({ before: one, after: one })))
      : this.database.transaction((sql) => change(sql, order, now)));
    const counts = await stopCounts(
      this.database,
      changes.map(({ after }) => after.serviceId),
    );
    return changes.flatMap(({ before, after }) => {
      const counted = counts.get(after.serviceId);
      if (counted === undefined) return [];
      const { serviceId, blocked, recalled } = after;
      return [{ serviceId, blocked, recalled, changed: isChanged(before, after), ...counted }];
    });
  }
}

interface Change {
  readonly before: ProjectView;
  readonly after: ProjectView;
}

function projectsOf(sql: Sql, { serviceIds }: StopOrder, now: Date): Promise<ProjectView[]> {
  return listProjects(sql, { held: serviceIds, after: undefined, limit: ALL, now });
}

async function change(sql: Sql, order: StopOrder, now: Date): Promise<Change[]> {
  const { act, who, reason, recall } = order;
  const of = { serviceIds: order.serviceIds, who, now };
  const locked = await (act === 'stop'
    ? stopProjects(sql, { ...of, reason, recall })
    : startProjects(sql, of));
  const after = await projectsOf(sql, order, now);
  const changes = after.flatMap((one) => {
    const before = locked.get(one.serviceId);
    return before === undefined ? [] : [{ before, after: one }];
  });
  for (const { before, after: stands } of changes) {
    const { serviceId } = stands;
    await writeAudit(sql, {
      at: now,
      who,
      action: `project.${act}`,
      target: serviceId,
      serviceId,
      before,
      after: { ...stands, ...(reason !== undefined && { reason }) },
    });
  }
  return changes;
}

function isChanged(before: ProjectView, after: ProjectView): boolean {
  return before.blocked?.code !== after.blocked?.code || before.recalled !== after.recalled;
}
