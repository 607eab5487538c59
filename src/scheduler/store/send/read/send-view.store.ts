// Reads of sends and their attempts for the API. Never writes, and never shows who the recipients are: only how many.
import type { Sql } from '../../../../platform/database/database.js';

/** What is read of a send; it is shown as selected. */
export interface SendView {
  readonly id: string;
  readonly serviceId: string;
  readonly state: string;
  readonly code: string | null;
  readonly mode: string;
}

// newest: the one of its chunk that counts. handOffAt: when it is to leave, or has left; null where it never will.
const VIEW = `select s.id, s.service_id as "serviceId", s.campaign, c.campaign_id as "campaignId", s.revision,
    s.occurrence, s.cell, cell.zone, s.chunk, s.next_send is null as newest, s.retry_of as "retryOf", s.retries, s.state,
    s.code, s.detail, s.goal, s.state_at as "stateAt", s.state_by as "stateBy", s.mode, s.mode_rule as "rule",
    s.schedule_code as "scheduleCode", s.intended_at as "intendedAt", s.due_at as "dueAt",
    case when s.work = 'f' then s.next_at else s.handed_off_at end as "handOffAt",
    (select cardinality(r.recipients) from send_recipients r where r.send = s.id) as recipients, s.attempts,
    s.request_id as "requestId",
    s.handed_off_at as "handedOffAt", s.answered_at as "answeredAt", s.gateway_status as "gatewayStatus",
    s.target_count as target, s.sent_count as sent, s.complete_time as "completeTime", s.created_at as "createdAt"
  from send s
  left join campaign c on c.id = s.campaign
  left join cell on cell.campaign = s.campaign and cell.occurrence = s.occurrence and cell.cell = s.cell`;

export interface SendFilter {
  /** null: every service. */
  readonly serviceIds: readonly string[] | null;
  readonly serviceId?: string | undefined;
  /** Our id. */
  readonly campaign?: string | undefined;
  readonly occurrence?: string | undefined;
  readonly states?: readonly string[] | undefined;
  readonly code?: string | undefined;
  /** When it came to its state: from `since` on, before `until`; as instants of ours are written. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly newestOnly: boolean;
}

/** In order of id, which is that of creation, from above `afterId`. Index send_cell, or send_attention by service. */
export async function sendPage(
  sql: Sql,
  filter: SendFilter,
  page: { afterId: string | undefined; limit: number },
): Promise<SendView[]> {
  return sql.query<SendView>(
    `${VIEW}
     where ($1::text[] is null or s.service_id = any($1)) and ($2::text is null or s.service_id = $2)
       and ($3::uuid is null or s.campaign = $3) and ($4::text is null or s.occurrence = $4)
       and ($5::text[] is null or s.state = any($5)) and ($6::text is null or s.code = $6)
       and (not $7::boolean or s.next_send is null) and ($8::uuid is null or s.id > $8)
       and ($10::timestamptz is null or s.state_at >= $10) and ($11::timestamptz is null or s.state_at < $11)
     order by s.id limit $9`,
    [
      filter.serviceIds,
      filter.serviceId,
      filter.campaign,
      filter.occurrence,
      filter.states,
      filter.code,
      filter.newestOnly,
      page.afterId,
      page.limit,
      filter.since,
      filter.until,
    ],
  );
}

export async function sendById(sql: Sql, id: string): Promise<SendView | undefined> {
  const [row] = await sql.query<SendView>(`${VIEW} where s.id = $1`, [id]);
  return row;
}

/** endedAt is null while one runs, and for ever when the process died under it. */
export async function attemptsOf(sql: Sql, send: string): Promise<object[]> {
  return sql.query(
    `select attempt, kind, started_at as "startedAt", ended_at as "endedAt", request_sent as "requestSent",
            http_status as "httpStatus", error_code as "errorCode", answer, outcome
       from send_attempt where send = $1 order by attempt`,
    [send],
  );
}
