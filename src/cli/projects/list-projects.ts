// carillon projects list and check: the push projects of the token, and whether a project's gateway can be used.
import { z } from 'zod';
import { printList, type ListOptions } from '../shell/list-of.js';
import { print, type JsonOption } from '../shell/output.js';
import { callScheduler, schedulerApi } from '../shell/scheduler-api.js';

const Project = z.looseObject({
  serviceId: z.string(),
  baseUrl: z.string(),
  ratePerSecond: z.number(),
  keys: z.array(z.looseObject({ accessKey: z.string() })),
  blocked: z.looseObject({ code: z.string(), since: z.string().nullable() }).nullable(),
  dispatch: z.looseObject({ rate: z.number(), troubles: z.array(z.looseObject({ code: z.string() })) }),
});
type Project = z.output<typeof Project>;
const Report = z.looseObject({
  checks: z.array(z.looseObject({ name: z.string(), ok: z.boolean(), text: z.string() })),
});

function stateOf({ blocked, dispatch }: Project): string {
  if (blocked === null) return dispatch.troubles[0]?.code ?? 'running';
  return blocked.code === 'STOPPED' ? 'stopped' : blocked.code;
}

export function listProjects(options: ListOptions): Promise<void> {
  return printList(
    {
      role: 'operator',
      path: '/projects',
      row: Project,
      columns: [
        { title: 'project', of: ({ serviceId }) => serviceId },
        { title: 'state', of: stateOf, as: 'state' },
        { title: 'since', of: ({ blocked }) => blocked?.since, as: 'instant' },
        { title: 'gateway', of: ({ baseUrl }) => baseUrl, as: 'cut' },
        { title: 'rate', of: ({ dispatch, ratePerSecond }) => `${dispatch.rate}/${ratePerSecond}` },
        { title: 'keys', of: ({ keys }) => keys.map(({ accessKey }) => accessKey).join(', '), as: 'cut' },
      ],
      id: ({ serviceId }) => serviceId,
      none: 'There is no push project: "carillon projects add" makes one.',
    },
    options,
  );
}

/** The exit code is 1 where a check fails. */
export async function checkProject(serviceId: string, options: JsonOption): Promise<void> {
  const api = schedulerApi({ role: 'operator' });
  const report = await callScheduler(
    api,
    `/v1/projects/${encodeURIComponent(serviceId)}/check`,
    Report,
    '{}',
  );
  const lines = report.checks.map(({ name, ok, text }) => `${ok ? 'ok' : 'NO'}  ${name.padEnd(12)}  ${text}`);
  print(options, report, lines.join('\n'));
  if (report.checks.some(({ ok }) => !ok)) process.exitCode = 1;
}
