// The push project that a request of a publisher names.
import { notFound } from '../../platform/http/problem.js';
import type { CallerIdentity } from '../admin/auth/caller.js';
import type { ProjectStore } from '../store/project.store.js';

/** Throws 404 for an unknown or foreign project. */
export async function checkProject(
  projects: Pick<ProjectStore, 'get'>,
  serviceId: string,
  caller: Pick<CallerIdentity, 'holds'>,
): Promise<void> {
  const project = caller.holds(serviceId) ? await projects.get(serviceId) : undefined;
  if (project === undefined) throw notFound('push project');
}
