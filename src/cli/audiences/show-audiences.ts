// carillon audiences list, show and delete.
import { z } from 'zod';
import { callApi, refusalOf } from '../shell/call-api.js';
import { printList, withQuery, type ListOptions } from '../shell/list-of.js';
import { print, type JsonOption } from '../shell/output.js';
import { counted, megabytes } from '../shell/text-layout.js';
import { schedulerApi } from '../shell/scheduler-api.js';

export interface AudienceOptions extends JsonOption {
  readonly service: string;
}
export interface AudiencesOptions extends ListOptions {
  readonly service: string;
}

const List = z.looseObject({ name: z.string(), rows: z.number(), expiresAt: z.string() });
const Detail = z.object({
  versions: z.array(
    z.object({
      version: z.string(),
      counts: z.boolean(),
      rows: z.number(),
      byZone: z.array(z.object({ zone: z.string().nullable(), rows: z.number() })),
      expiresAt: z.string(),
      campaigns: z.number(),
    }),
  ),
  uploads: z.array(z.object({ rows: z.number(), bytes: z.number(), begunAt: z.string() })),
});
const Deleted = z.object({ keptBy: z.number() });

/** Zones that are printed of a version. */
const MOST_ZONES = 20;

export function listAudiences(options: AudiencesOptions): Promise<void> {
  return printList(
    {
      role: 'publisher',
      path: withQuery('/audiences', { serviceId: options.service }),
      row: List,
      columns: [
        { title: 'name', of: ({ name }) => name },
        { title: 'users', of: ({ rows }) => rows },
        { title: 'expires', of: ({ expiresAt }) => expiresAt, as: 'instant' },
      ],
      id: ({ name }) => name,
      none: `${options.service} has no lists`,
    },
    options,
  );
}

export async function showAudience(name: string, options: AudienceOptions): Promise<void> {
  const detail = await asked('GET', pathOf(name, options), Detail);
  const lines = detail.versions.flatMap(({ version, counts, rows, byZone, expiresAt, campaigns }) => [
    `${version}${counts ? ', the one that counts' : ''}: ${counted(rows, 'user')}, until ${expiresAt}, ${counted(campaigns, 'open campaign')}`,
    ...byZone.slice(0, MOST_ZONES).map(({ zone, rows: inZone }) => `  ${zone ?? 'no zone'}: ${inZone}`),
    ...(byZone.length > MOST_ZONES ? [`  and ${byZone.length - MOST_ZONES} more zones`] : []),
  ]);
  for (const { rows, bytes, begunAt } of detail.uploads)
    lines.push(`an upload since ${begunAt}: ${counted(rows, 'row')} in ${megabytes(bytes)} so far`);
  print(options, detail, lines.join('\n'));
}

export async function deleteAudience(name: string, options: AudienceOptions): Promise<void> {
  const deleted = await asked('DELETE', pathOf(name, options), Deleted);
  const kept =
    deleted.keptBy === 0 ? '' : `; ${counted(deleted.keptBy, 'open campaign')} keep the version they go to`;
  print(options, deleted, `${name} is deleted${kept}`);
}

function pathOf(name: string, { service: serviceId }: AudienceOptions): string {
  return `/${encodeURIComponent(name)}?${new URLSearchParams({ serviceId }).toString()}`;
}

/** Throws the answer where it is none. */
async function asked<Schema extends z.ZodType>(
  method: string,
  path: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const api = schedulerApi({ role: 'publisher' });
  const answer = await callApi(api, method, `/v1/audiences${path}`);
  const value = schema.safeParse(answer.json);
  if (!answer.ok || !value.success) throw refusalOf(api, answer);
  return value.data;
}
