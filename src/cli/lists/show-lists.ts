// `carillon list ls`, `show` and `delete`, by HTTP.
import { z } from 'zod';
import { callApi, refusalOf } from '../shell/call-api.js';
import { print, type JsonOption } from '../shell/output.js';
import { counted, megabytes } from '../shell/text-layout.js';
import { schedulerApi } from '../shell/scheduler-api.js';

export interface ListOptions extends JsonOption {
  readonly service: string;
}

const Page = z.object({
  items: z.array(z.object({ name: z.string(), rows: z.number(), expiresAt: z.string() })),
  nextCursor: z.string().nullable(),
});
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

export async function printLists(options: ListOptions): Promise<void> {
  const all: z.output<typeof Page>['items'] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query = new URLSearchParams({
      serviceId: options.service,
      limit: '500',
      ...(cursor !== '' && { cursor }),
    });
    const page: z.output<typeof Page> = await asked('GET', `?${query.toString()}`, Page);
    all.push(...page.items);
    cursor = page.nextCursor;
  }
  const lines = all.map(
    ({ name, rows, expiresAt }) => `${name}: ${counted(rows, 'user')}, until ${expiresAt}`,
  );
  print(options, all, lines.join('\n') || `${options.service} has no lists`);
}

export async function showList(name: string, options: ListOptions): Promise<void> {
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

export async function deleteList(name: string, options: ListOptions): Promise<void> {
  const deleted = await asked('DELETE', pathOf(name, options), Deleted);
  const kept =
    deleted.keptBy === 0 ? '' : `; ${counted(deleted.keptBy, 'open campaign')} keep the version they go to`;
  print(options, deleted, `${name} is deleted${kept}`);
}

function pathOf(name: string, { service: serviceId }: ListOptions): string {
  return `/${encodeURIComponent(name)}?${new URLSearchParams({ serviceId }).toString()}`;
}

/** Throws the answer where it is none. */
async function asked<Schema extends z.ZodType>(
  method: string,
  path: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const api = schedulerApi({ role: 'publisher', why: 'this command asks the scheduler: ' });
  const answer = await callApi(api, method, `/v1/audiences${path}`);
  const value = schema.safeParse(answer.json);
  if (!answer.ok || !value.success) throw refusalOf(api, answer);
  return value.data;
}
