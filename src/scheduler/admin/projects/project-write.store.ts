// Changes push projects and their keys, and reads the view of them that an answer may show: secrets leave this file only sealed.
// Every change notifies all processes when the caller commits.
import { v7 } from 'uuid';
import { z } from 'zod';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import type { Secret } from '../../../platform/env.js';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import type { Sealer } from '../../../platform/secrets/sealed.js';
import { CHANNELS } from '../../store/channels.js';
import { ProjectBounds, type GivenBounds } from './project-bounds.js';
import { CLIMBED_RATE } from '../../push-client/rate/pace.store.js';
import { NOT_BLOCKED } from '../../push-client/blocks/project-block.store.js';
import { TROUBLE_GOOD_FOR } from '../../push-client/blocks/project-trouble.store.js';
import { releaseRecalled } from '../../store/send/recall.store.js';
import { API_KEY, ProjectSettings, SECRET, SETTINGS_COLUMNS } from '../../store/project.store.js';

/** A project as the API shows it. */
const instant = z.iso.datetime();
export const ProjectView = ProjectSettings.extend({
  keys: listOf(z.object({ accessKey: z.string(), position: z.int(), createdAt: instant })).describe(
    'The key that is tried first, then the other; never their secrets',
  ),
  hasApiKey: z.boolean(),
  blocked: z
    .object({
      code: z.string(),
      detail: z
        .string()
        .nullable()
        .describe(
          "The gateway's own words, where the gateway is the reason; of a stop the reason that was given",
        ),
      until: instant.nullable().describe('null: until an operator starts it'),
      since: instant.nullable().describe('When the block with this code began'),
      by: z
        .string()
        .nullable()
        .describe('Who stopped it; null: nobody did, the gateway or a fault blocks it'),
    })
    .nullable()
    .describe('Why no process calls it now'),
  recalled: z.boolean().describe('It was stopped with a recall: what the push service holds is asked back'),
  bounds: ProjectBounds.describe(
    'How far its own admins may set these settings; a token for all services sets the bounds, by name or with the setting',
  ),
  dispatch: z
    .object({
      rate: z
        .number()
        .describe(
          'Calls a second now, over all processes: halved by a 429, then climbing back to ratePerSecond',
        ),
      slowedAt: instant.nullable(),
      troubles: listOf(
        z.object({ code: z.string(), detail: z.string().nullable(), processes: count, since: instant }),
      ).describe(
        'The troubles that single processes have with it: how many processes, and since when the first of them. With each trouble except CLOCK_CORRECTED they do not call it',
      ),
    })
    .describe('How it is called now'),
  createdAt: instant,
  updatedAt: instant,
});
export type ProjectView = z.output<typeof ProjectView>;

/** Settings that a caller may give; a setting that is not given keeps its value, or gets the column's default. */
export type GivenSettings = {
  [Name in keyof Omit<ProjectSettings, 'serviceId' | 'extensions'>]?: ProjectSettings[Name] | undefined;
};

const NAMES = Object.keys(
  ProjectSettings.omit({ serviceId: true, extensions: true }).shape,
) as readonly (keyof GivenSettings)[];
const columnOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Calls a second now of project `p`. */
const RATE_NOW = `round(coalesce((select ${CLIMBED_RATE} from project_pace a where a.service_id = p.service_id),
    p.rate_per_second)::numeric, 3)`;

const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
const VIEW = `${SETTINGS_COLUMNS}, api_key_sealed is not null as "hasApiKey",
  to_char(created_at at time zone 'UTC', ${ISO}) as "createdAt", to_char(updated_at at time zone 'UTC', ${ISO}) as "updatedAt",
  case when blocked_until > $1 then jsonb_build_object('code', blocked_code, 'detail', blocked_detail,
    'until', to_char(nullif(blocked_until, 'infinity') at time zone 'UTC', ${ISO}),
    'since', to_char(blocked_since at time zone 'UTC', ${ISO}), 'by', blocked_by) end as blocked, recalled,
  jsonb_build_object('weight', bound_weight, 'ratePerSecond', bound_rate_per_second, 'inFlight', bound_in_flight,
    'sources', bound_sources) as bounds,
  jsonb_build_object('rate', (${RATE_NOW})::float8,
    'slowedAt', (select to_char(a.slowed_at at time zone 'UTC', ${ISO}) from project_pace a where a.service_id = p.service_id),
    'troubles', coalesce((select jsonb_agg(jsonb_build_object('code', t.code, 'detail', t.detail, 'processes', t.processes,
          'since', to_char(t.since at time zone 'UTC', ${ISO})) order by t.code)
        from (select code, max(detail) as detail, count(*) as processes, min(since) as since from project_trouble
               where service_id = p.service_id and seen_at > clock_timestamp() - ${TROUBLE_GOOD_FOR} group by code) t),
      '[]')) as dispatch,
  coalesce((select jsonb_agg(jsonb_build_object('accessKey', k.access_key, 'position', k.position,
      'createdAt', to_char(k.created_at at time zone 'UTC', ${ISO})) order by k.position)
    from project_key k where k.service_id = p.service_id), '[]') as keys`;

/** A limit above every number of projects. */
export const ALL = 2 ** 31 - 1;

/** The projects whose serviceId the caller holds (null: all), in order of serviceId, after the last one seen. */
export function listProjects(
  sql: Sql,
  filter: { held: readonly string[] | null; after: string | undefined; limit: number; now: Date },
): Promise<ProjectView[]> {
  return sql.query<ProjectView>(
    `select ${VIEW} from project p
      where ($2::text[] is null or service_id = any($2)) and ($3::text is null or service_id > $3)
      order by service_id limit $4`,
    [filter.now, filter.held, filter.after ?? null, filter.limit],
  );
}

export async function viewProject(sql: Sql, serviceId: string, now: Date): Promise<ProjectView | undefined> {
  return firstRow<ProjectView>(sql, `select ${VIEW} from project p where service_id = $2`, [now, serviceId]);
}

/** false: another project has the serviceId. */
export async function insertProject(
  sql: Sql,
  { serviceId, settings, now }: { serviceId: string; settings: GivenSettings; now: Date },
): Promise<boolean> {
  const { columns, values } = assignments(settings);
  const names = ['service_id', 'created_at', 'updated_at', ...columns];
  const rows = await sql.query(
    `insert into project (${names.join(', ')}) values ($1, $2, $2${columns.map((_, i) => `, $${i + 3}`).join('')})
     on conflict do nothing returning 1 as made`,
    [serviceId, now, ...values],
  );
  await tellAll(sql);
  return rows.length > 0;
}

export async function patchProject(
  sql: Sql,
  { serviceId, settings, now }: { serviceId: string; settings: GivenSettings; now: Date },
): Promise<void> {
  if (settings.extensionsOff !== undefined) await switchOff(sql, serviceId, settings.extensionsOff, now);
  const { columns, values } = assignments(settings);
  await sql.query(
    `update project set updated_at = $2${columns.map((name, i) => `, ${name} = $${i + 3}`).join('')} where service_id = $1`,
    [serviceId, now, ...values],
  );
  if (settings.baseUrl !== undefined) await endBlock(sql, serviceId, ['BASE_URL_INVALID', 'BAD_ADDRESS']);
  await tellAll(sql);
}

/** Longer than a process may use an older row of the project, milliseconds. */
const OLDER_ROW_MS = 10_000;

/**
 * An extension that is switched off is out of use at once; one that is switched on again is used from the next answer that offers it.
 * Requests that left without their key are never repeated: a while after keys are switched on again, every request carries its key.
 */
async function switchOff(sql: Sql, serviceId: string, off: readonly string[], now: Date): Promise<void> {
  await sql.query(
    `update project set extensions = array(select e from unnest(extensions) e where e <> all($2::text[])),
            keys_since = case when 'idempotency-key' = any(extensions_off) and 'idempotency-key' <> all($2::text[]) then $3
                              else keys_since end
      where service_id = $1`,
    [serviceId, off, new Date(now.getTime() + OLDER_ROW_MS)],
  );
}

/** Bounds that are not given keep their value. */
export async function putBounds(sql: Sql, serviceId: string, given: GivenBounds): Promise<void> {
  await sql.query(
    `update project set bound_weight = coalesce($2::int, bound_weight),
            bound_rate_per_second = coalesce($3::int, bound_rate_per_second),
            bound_in_flight = coalesce($4::int, bound_in_flight), bound_sources = coalesce($5::text[], bound_sources)
      where service_id = $1`,
    [serviceId, given.weight, given.ratePerSecond, given.inFlight, given.sources],
  );
}

/** Locks the project until the commit, so that `before` and `after` of an audit row belong together; false: there is no such project. */
export async function lockProject(sql: Sql, serviceId: string): Promise<boolean> {
  const rows = await sql.query('select 1 as there from project where service_id = $1 for update', [
    serviceId,
  ]);
  return rows.length > 0;
}

/**
 * Puts a key first: the former first becomes the second, the former second goes. A key that is there already gets its
 * new secret and moves to the front. Call it with the project locked.
 */
export async function putKey(
  sql: Sql,
  sealer: Sealer,
  given: { serviceId: string; accessKey: string; secretKey: Secret; now: Date },
): Promise<void> {
  const { serviceId, accessKey, secretKey, now } = given;
  const sealed = sealer.seal(secretKey.reveal(), SECRET, serviceId, accessKey);
  await sql.query(
    `delete from project_key where service_id = $1 and (access_key = $2
        or (position = 2 and not exists (select from project_key where service_id = $1 and access_key = $2)))`,
    [serviceId, accessKey],
  );
  await sql.query('update project_key set position = 2 where service_id = $1 and position = 1', [serviceId]);
  await sql.query(
    `insert into project_key (id, service_id, access_key, secret_sealed, position, created_at) values ($1, $2, $3, $4, 1, $5)`,
    [v7({ msecs: now.getTime() }), serviceId, accessKey, sealed, now],
  );
  await endBlock(sql, serviceId, ['NO_KEY', 'BAD_KEY']);
  await tellAll(sql);
}

/**
 * The remaining key becomes the first. The last key stays: without one nothing of the project is sent. Call it with the project
 * locked.
 */
export async function removeKey(
  sql: Sql,
  serviceId: string,
  accessKey: string,
): Promise<'removed' | 'unknown' | 'last'> {
  const keys = await sql.query<{ accessKey: string }>(
    'select access_key as "accessKey" from project_key where service_id = $1',
    [serviceId],
  );
  if (!keys.some((key) => key.accessKey === accessKey)) return 'unknown';
  if (keys.length === 1) return 'last';
  await sql.query('delete from project_key where service_id = $1 and access_key = $2', [
    serviceId,
    accessKey,
  ]);
  await sql.query('update project_key set position = 1 where service_id = $1', [serviceId]);
  await tellAll(sql);
  return 'removed';
}

/** undefined removes it. */
export async function putApiKey(
  sql: Sql,
  sealer: Sealer,
  serviceId: string,
  apiKey: Secret | undefined,
): Promise<void> {
  const sealed = apiKey === undefined ? null : sealer.seal(apiKey.reveal(), API_KEY, serviceId);
  await sql.query('update project set api_key_sealed = $2 where service_id = $1', [serviceId, sealed]);
  await tellAll(sql);
}

export interface StopOf {
  /** null: all projects. */
  readonly serviceIds: readonly string[] | null;
  readonly who: string;
  readonly now: Date;
}

// In order of the primary key: two stops of all projects do not deadlock.
const LOCK_ALL =
  'select from project where $1::text[] is null or service_id = any($1) order by service_id for update';

/** Locks projects until the commit, and returns each as it stands. */
async function lockProjects(sql: Sql, { serviceIds, now }: StopOf): Promise<Map<string, ProjectView>> {
  await sql.query(LOCK_ALL, [serviceIds]);
  const rows = await listProjects(sql, { held: serviceIds, after: undefined, limit: ALL, now });
  return new Map(rows.map((row) => [row.serviceId, row]));
}

/**
 * Nothing of a stopped project is dispatched until it is started. A second stop takes over its reason, if it has one, keeps when it
 * began, and may add a recall, but end none: with it the push service is asked for what it holds. Returns the projects as they stood
 * before.
 */
export async function stopProjects(
  sql: Sql,
  stop: StopOf & { readonly reason?: string | undefined; readonly recall?: boolean },
): Promise<Map<string, ProjectView>> {
  const { who, now, reason, recall = false } = stop;
  const before = await lockProjects(sql, stop);
  await sql.query(
    `update project set blocked_until = 'infinity', blocked_code = 'STOPPED', blocked_by = $3, updated_at = $4,
            blocked_detail = coalesce($2, case when blocked_code = 'STOPPED' then blocked_detail end), recalled = recalled or $5,
            blocked_since = case when blocked_code = 'STOPPED' then coalesce(blocked_since, $4) else $4 end
      where service_id = any($1::text[])`,
    [[...before.keys()], reason ?? null, who, now, recall],
  );
  await tellAll(sql);
  await sql.query('select pg_notify($1, $2)', [CHANNELS.recall, '']);
  return before;
}

/** Ends a stop, its recall, and any other block. Returns the projects as they stood before. */
export async function startProjects(sql: Sql, start: StopOf): Promise<Map<string, ProjectView>> {
  const { who, now } = start;
  const before = await lockProjects(sql, start);
  const serviceIds = [...before.keys()];
  await sql.query(`update project set ${NOT_BLOCKED}, updated_at = $2 where service_id = any($1::text[])`, [
    serviceIds,
    now,
  ]);
  await releaseRecalled(sql, serviceIds, now, who);
  await tellAll(sql);
  await sql.query('select pg_notify($1, $2)', [CHANNELS.dispatch, '']);
  return before;
}

function assignments(settings: GivenSettings): { columns: string[]; values: unknown[] } {
  const given = NAMES.filter((name) => settings[name] !== undefined);
  // pg writes an object as JSON and an array as a PostgreSQL array, as their columns need.
  return { columns: given.map(columnOf), values: given.map((name) => settings[name]) };
}

/** Ends a block with one of these codes, whose cause was just removed; any other goes on. */
async function endBlock(sql: Sql, serviceId: string, codes: readonly string[]): Promise<void> {
  const rows = await sql.query(
    `update project set ${NOT_BLOCKED} where service_id = $1 and blocked_code = any($2::text[]) returning 1 as ended`,
    [serviceId, codes],
  );
  if (rows.length > 0) await sql.query(`select pg_notify('${CHANNELS.dispatch}', '')`);
}

async function tellAll(sql: Sql): Promise<void> {
  await sql.query(`select pg_notify('${CHANNELS.access}', '')`);
}
