// The views that analysts and BI tools read as the role carillon_report (docs/use/reports-sql.md): the report's own figures in SQL,
// each column with its comment. Figures and their comments come from report-figures.ts. Only migrations create the views: a change,
// here or there, needs a migration that creates them again.
import { sqlList } from '../../../platform/database/sql-list.js';
import { CLOSED_CAMPAIGN } from '../../decide/lifecycle/campaign-state.js';
import { SEND_TERMS, statesOfTerm } from '../../decide/lifecycle/send-state.js';
import type { Sums } from '../../store/rollup/sums.js';
import { COUNTS, LENGTHS, MEASURES } from '../../store/send/measured-send.js';
import {
  ALL_ENDED,
  COUNTED,
  DEVICES,
  DEVICE_TERMS,
  kindOf,
  LENGTH_FIGURES,
  measuredWhere,
  REACHED_TERMS,
  type DeviceTerm,
} from './report-figures.js';

type Columns = Readonly<Record<string, readonly [sql: string, comment: string]>>;
export interface ReportView {
  readonly comment: string;
  readonly columns: Columns;
  /** The SQL after the columns. */
  readonly from: string;
}

// Does not use send_gone and length_gone: the reader of a view may have any search path, and may not read what kept_from reads.
const GONE = ({ table }: Sums): string => `(select sum.* from ${table} sum where sum.day < (
    select min(d.low) at time zone 'UTC'
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     cross join lateral bound_at((regexp_match(pg_get_expr(c.relpartbound, c.oid), '^FOR VALUES FROM [(]''?([^'')]*)'))[1]) as d(low)
     where i.inhparent = 'send'::regclass and not i.inhdetachpending and isfinite(d.low)))`;

/** The figures of `f`, which has `planned` and those of COUNTED. */
const FIGURES: Columns = {
  planned: ['f.planned', 'Requests planned: each counts in one of the columns sends_…, whose sum this is'],
  ...Object.fromEntries(
    Object.entries(COUNTED).map(([name, { comment }]) => [name, [`f.${name}::bigint`, comment]]),
  ),
  balanced: [
    `f.planned = ${SEND_TERMS.map((term) => `f.sends_${term}`).join(' + ')}
        and f.devices_target = ${REACHED_TERMS.map((term) => `f.devices_${term}`).join(' + ')}`,
    'Whether both sides of sends and of devices agree; where not, the ledger says what is missing',
  ],
};
const COUNTED_COLUMNS = Object.entries(COUNTED)
  .map(([name, { sql }]) => `${sql} as ${name}`)
  .join(', ');

/** Columns of the campaign `c`. */
const OF_CAMPAIGN: Columns = {
  service_id: ['c.service_id', 'The project that publishes it'],
  campaign_id: ['c.campaign_id', "The publisher's id of the campaign"],
  name: ['c.name', "The publisher's name of the campaign"],
};

/** Columns of the cell `k`. */
const placeOf = (k: string): Columns => ({
  zone: [`${k}.zone`, "The recipients' IANA zone, or a fixed offset"],
  device_type: [`${k}.device_type`, 'The device type; all: not split'],
  country: [`${k}.country`, 'The country, ISO 3166-1 alpha-2; all: not split'],
});
const localOf = (at: string, k: string): string =>
  `(${at} at time zone 'UTC') + (${k}.local_reading #>> '{reading,offset}')::interval`;

/** Columns of the cell in `f` and its occurrence `o`. */
const OF_CELL: Columns = {
  campaign: ['o.campaign', 'Our id of the campaign (UUIDv7)'],
  ...OF_CAMPAIGN,
  occurrence: ['o.occurrence', 'once, or the local date-time of the recurrence rule'],
  cell: [
    'f.cell',
    'One zone, and one device type and country where they were split; unique in its occurrence',
  ],
  ...placeOf('f'),
  due_at: [
    'f.due_at',
    'When its first send is due, after passed zone, night, quiet hours, jitter and pace; null: a standing message',
  ],
  due_local: [localOf('f.due_at', 'f'), 'due_at on the clock of the zone, without offset'],
  first_due: ['o.first_due', 'When the first send of its occurrence that is to leave is due; null: none is'],
  last_due: ['o.last_due', 'When the last send of its occurrence that is to leave is due; null: none is'],
};

/**
 * Each occurrence `o` with `f`: its cells joined to their measured sends, in groups. PostgreSQL applies a filter on a column of the
 * cell before it reads the sends, and reads the sends of an occurrence once, by index send_cell.
 */
const cellsWith = (figures: string, join: string, of: string, groups = ''): string => `
  from occurrence o left join campaign c on c.id = o.campaign
 cross join lateral (
   select k.cell, k.zone, k.zone_source, k.segment, k.device_type, k.country, k.local_reading, k.intended_at, k.due_at,
          k.mode, k.mode_rule, k.skipped_code, k.recipients, k.chunks::bigint as planned, ${figures}
     from cell k ${join} ${measuredWhere('m.campaign = o.campaign and m.occurrence = o.occurrence', GONE)} m on m.cell = k.cell
    ${of}
    group by k.campaign, k.occurrence, k.cell${groups}) f
 where o.occurrence not like 'test-%'`;
const OF_OCCURRENCE = 'where k.campaign = o.campaign and k.occurrence = o.occurrence';

const PERCENTILES = [0.5, 0.95, 0.99];
const spread = (place: number, name: string): [string, string] => [
  `f.percentiles[${place}]`,
  `The ${name} of them, milliseconds, by nearest rank; at most 2 % off of what is gone`,
];

function inCounted(sql: string, otherwise: string): string {
  return `case when ${COUNTS} then ${sql} else ${otherwise} end`;
}

function deviceColumn(term: DeviceTerm): string {
  const { number, kind } = DEVICES[term];
  if (kind === undefined) return inCounted(MEASURES[number], '0');
  return inCounted(`case when (${kindOf('s')}) = '${kind}' then ${MEASURES[number]} else 0 end`, '0');
}

const TERM_OF = `case ${SEND_TERMS.map((term) => `when s.state in ${sqlList(statesOfTerm(term))} then '${term}'`).join(' ')} end`;

export const REPORT_VIEWS: Readonly<Record<string, ReportView>> = {
  report_campaign: {
    comment:
      'A row for each campaign, counted over the newest send of every chunk, and over sums once the sends are gone. ' +
      'Cheap filters: campaign, service_id, created_at, first_due, last_due: only the sends of those campaigns are read.',
    columns: {
      campaign: ['c.id', 'Our id of the campaign (UUIDv7)'],
      ...OF_CAMPAIGN,
      state: ['c.state', 'The state of the campaign'],
      revision: ['c.revision', 'The revision in force'],
      created_at: ['c.created_at', 'When the event that made it was taken'],
      first_due: [
        'o.first_due',
        'When its first send that is to leave was or is due; null: none is, or it has no due',
      ],
      last_due: ['o.last_due', 'When its last send planned so far is due'],
      ...FIGURES,
      final: [
        `c.state in ${sqlList(CLOSED_CAMPAIGN)} and coalesce(f.all_ended, f.planned = 0)`,
        'The campaign has ended, and no figure changes any more by itself',
      ],
    },
    from: `
  from campaign c
 cross join lateral (select min(o.first_due) as first_due, max(o.last_due) as last_due
                       from occurrence o where o.campaign = c.id and o.occurrence not like 'test-%') o
 cross join lateral (
   select (select coalesce(sum(k.chunks), 0) from cell k where k.campaign = c.id and k.occurrence not like 'test-%') as planned,
          ${COUNTED_COLUMNS}, ${ALL_ENDED} as all_ended
     from ${measuredWhere('m.campaign = c.id', GONE)} m) f`,
  },
  report_cell: {
    comment:
      'A row for each cell of the report of a campaign: an occurrence, a zone, and a device type and country where they were split. A total is a sum over rows. ' +
      'Cheap filters: campaign; due_at: only the sends of occurrences with such cells are read.',
    columns: {
      ...OF_CELL,
      zone_source: [
        'f.zone_source',
        'How the zone is known: given, directory, registered-offset, principal, fallback …',
      ],
      segment: ['f.segment', 'Number of the segment of the audience'],
      intended_at: [
        'f.intended_at',
        'What was asked for, after the rule for clock changes; null: a standing message',
      ],
      mode: ['f.mode', 'How its sends were planned to be handed off; the columns mode_… count how they were'],
      mode_rule: ['f.mode_rule', 'Why this mode'],
      skipped_code: ['f.skipped_code', 'Why planning left it out; null: it did not'],
      recipients: ['f.recipients', 'How many ids; null for an audience not made of ids'],
      ...FIGURES,
      final: ['coalesce(f.all_ended, f.planned = 0)', 'No figure of the row changes any more by itself'],
    },
    from: cellsWith(`${COUNTED_COLUMNS}, ${ALL_ENDED} as all_ended`, 'left join', OF_OCCURRENCE),
  },
  report_lateness: {
    comment:
      'A row for each cell and kind of length, over the newest sends and the sums of those that are gone. Never mix kinds, and never add percentiles up: make those of other groups from report_send. ' +
      'Cheap filters: as of report_cell.',
    columns: {
      ...OF_CELL,
      kind: [
        'f.kind',
        Object.values(LENGTH_FIGURES)
          .map(({ kind, comment }) => `${kind}: ${comment}`)
          .join('. '),
      ],
      count: ['f.measured', 'How many were measured'],
      p50_ms: spread(1, 'median'),
      p95_ms: spread(2, '95th percentile'),
      p99_ms: spread(3, '99th percentile'),
      max_ms: ['f.longest', 'The longest of them, milliseconds'],
      gone: ['f.gone', 'How many of them are kept only as sums, at most 2 % off'],
    },
    from: cellsWith(
      `l.kind, count(*) as measured, max(l.ms) as longest, count(*) filter (where m.gone) as gone,
          percentile_disc(array[${PERCENTILES.join(', ')}]) within group (order by l.ms) as percentiles`,
      'join',
      `cross join lateral (values ${LENGTHS.map((length) => `('${LENGTH_FIGURES[length].kind}', m.${length})`).join(', ')}) as l(kind, ms)
    ${OF_OCCURRENCE} and l.ms is not null`,
      ', l.kind',
    ),
  },
  report_send: {
    comment:
      'A row for each send that is kept, also those that a retry replaced; tests are left out, and the recipients are not shown. ' +
      'Count rows where counted; sums of the columns devices_… need no such condition. Cheap filters: campaign; ended_at, by its day; ' +
      'service_id where needs_attention. A filter by due_at alone reads all kept sends: use report_cell for it.',
    columns: {
      id: ['s.id', 'Id of the send, a UUIDv7'],
      ended_at: [
        's.ended_at',
        'When it ended; infinity: it is open. Sends lie in partitions by it, a day each',
      ],
      campaign: ['s.campaign', 'Our id of the campaign (UUIDv7)'],
      ...OF_CAMPAIGN,
      service_id: ['s.service_id', 'The project that publishes it'],
      revision: ['s.revision', 'The revision of the campaign that planned it'],
      occurrence: ['s.occurrence', 'once, or the local date-time of the recurrence rule'],
      cell: ['s.cell', 'Its cell'],
      ...placeOf('k'),
      chunk: ['s.chunk', 'Number of the chunk in its cell'],
      counted: [COUNTS, 'Whether it is the newest send of its chunk: only that one counts in the figures'],
      term: [TERM_OF, 'What its state counts as: the columns sends_… of the other views; null: superseded'],
      state: ['s.state', 'Its state (docs/understand/life-of-a-send.md)'],
      state_at: ['s.state_at', 'Since when'],
      code: ['s.code', 'Why it is in its state; null: there is no reason to give'],
      needs_attention: [
        's.needs_attention',
        "Whether it is in the operators' list: failed, stale, rejected, expired or uncertain",
      ],
      retry_of: ['s.retry_of', 'The send that this one is a retry of'],
      retries: ['s.retries', 'How many retries came before it'],
      mode: ['s.mode', 'immediate, reserved or scheduled'],
      mode_rule: ['s.mode_rule', 'Why this mode'],
      schedule_code: ['s.schedule_code', 'The schedule of the push service that it is attached to'],
      intended_at: [
        's.intended_at',
        'What was asked for, after the rule for clock changes; null: a standing message',
      ],
      due_at: ['s.due_at', 'When it is due; null: a standing message'],
      due_local: [
        localOf('s.due_at', 'k'),
        'due_at on the clock of the zone, without offset: by the offset that holds when its cell is due',
      ],
      created_at: ['s.created_at', 'When it was planned, or asked for as a retry'],
      handed_off_at: ['s.handed_off_at', 'When it left us'],
      answered_at: ['s.answered_at', 'When the push service answered'],
      completed_at: ['s.complete_time', "The push service's completeTime, of a reservation"],
      attempts: ['s.attempts', 'Calls that were made to hand it off'],
      polls: ['s.polls', 'Questions asked for its result since the last step'],
      http_status: ['s.http_status', 'HTTP status of the newest attempt'],
      error_code: ['s.error_code', 'Why the newest attempt got no answer'],
      request_id: ['s.request_id', "The push service's requestId"],
      gateway_status: ['s.gateway_status', "The push service's own word for its state"],
      target_count: [
        's.target_count',
        'Devices targeted, as the push service reports; null: not reported yet',
      ],
      sent_count: [
        's.sent_count',
        'Devices that a provider took, as the push service reports; null: not reported yet',
      ],
      ...Object.fromEntries(
        DEVICE_TERMS.map((term) => [
          `devices_${term}`,
          [deviceColumn(term), `${DEVICES[term].comment}. 0 of what does not count`],
        ]),
      ),
      ...Object.fromEntries(
        LENGTHS.map((length) => {
          const { column, comment } = LENGTH_FIGURES[length];
          const text = `Milliseconds. ${comment}. Null: not measured, or not counted`;
          return [column, [inCounted(MEASURES[length], 'null'), text]];
        }),
      ),
    },
    from: `
  from send s left join campaign c on c.id = s.campaign
  left join cell k on k.campaign = s.campaign and k.occurrence = s.occurrence and k.cell = s.cell
 where s.occurrence not like 'test-%'`,
  },
};

/** The statements that create a view with its comments; grant_reports() gives the grants. */
export function viewStatements(name: string, { comment, columns, from }: ReportView): string {
  const selected = Object.entries(columns).map(([column, [sql]]) => `${sql} as ${column}`);
  return [
    `create view ${name} as select ${selected.join(',\n       ')}${from}`,
    `comment on view ${name} is ${quoted(comment)}`,
    ...Object.entries(columns).map(
      ([column, [, text]]) => `comment on column ${name}.${column} is ${quoted(text)}`,
    ),
  ].join(';\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
