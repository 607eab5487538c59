import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The two statements every send passes, fire and record, as functions: planned once a connection instead of once a batch,
 * which took longer than running them, and held to the primary keys, whatever the tables' sizes were at that moment.
 */
export class HotStatements1763700000012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Called by store/fire.store.ts, which says what it is for. Rows are locked in the order given: by id.
create function fire_sends(the_ids uuid[], the_tokens uuid[], the_revisions integer[], the_modes text[], the_rules text[], the_dues timestamptz[],
                           at timestamptz, by_whom text, lease interval)
returns table (id uuid, attempt integer, recipients text[], target jsonb) language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  with fired as (
    update send s set state = 'sending', history = s.history + 1, code = null, detail = null, state_at = at, state_by = by_whom,
           mode = g.mode, mode_rule = g.mode_rule, due_at = coalesce(g.due_at, s.due_at),
           attempts = s.attempts + 1, handed_off_at = at, lease_until = clock_timestamp() + lease
      from unnest(the_ids, the_tokens, the_revisions, the_modes, the_rules, the_dues) as g(id, token, revision, mode, mode_rule, due_at)
     where s.id = g.id and s.state || '' = 'claimed' and s.claim_token = g.token and s.revision = g.revision
       and exists (select from project p
                    where p.service_id = s.service_id and (p.resting_until is null or p.resting_until <= at))
    returning s.id, s.attempts, s.recipients, s.campaign, s.occurrence, s.cell),
  noted as (
    insert into attempt (send, attempt, kind, started_at) select f.id, f.attempts, 'send', at from fired f)
  select f.id, f.attempts, f.recipients, c.target
    from fired f join cell c on c.campaign = f.campaign and c.occurrence = f.occurrence and c.cell = f.cell;
end $$;

-- Called by store/answer.store.ts, which says what it is for. Rows are locked in the order given: by id.
create function record_answers(the_ids uuid[], the_tokens uuid[], the_attempts integer[], the_states text[], the_codes text[], the_details text[],
                               the_answered timestamptz[], the_request_ids text[], the_gateway_statuses text[], the_looks timestamptz[],
                               the_hand_offs timestamptz[], the_requests_sent boolean[], the_http_statuses integer[], the_error_codes text[],
                               the_answers text[], the_outcomes text[], by_whom text)
returns table (id uuid, state text, goal text) language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  update send s set
         state = case when s.state = 'sending' and g.state = 'planned' then coalesce(s.goal, 'planned')
                      when s.state = 'uncertain' and g.state = 'rejected' then 'planned' else g.state end,
         history = s.history + 1, code = g.code, detail = g.detail, state_at = g.answered_at, state_by = by_whom,
         answered_at = case when g.http_status is null then s.answered_at else g.answered_at end,
         request_id = coalesce(g.request_id, s.request_id), gateway_status = coalesce(g.gateway_status, s.gateway_status),
         next_look_at = g.next_look_at, looks = 0, hand_off_at = coalesce(g.hand_off_at, s.hand_off_at),
         claim_token = null, lease_until = null
    from unnest(the_ids, the_tokens, the_states, the_codes, the_details, the_answered, the_request_ids, the_gateway_statuses, the_looks, the_hand_offs, the_http_statuses)
      as g(id, token, state, code, detail, answered_at, request_id, gateway_status, next_look_at, hand_off_at, http_status)
   where s.id = g.id and s.claim_token = g.token
     and (s.state || '' = 'sending' or s.state || '' = 'uncertain' and g.state <> 'uncertain')
  returning s.id, s.state, s.goal;
  update attempt a set ended_at = g.ended_at, request_sent = g.request_sent, http_status = g.http_status,
         error_code = g.error_code, answer = g.answer, outcome = g.outcome
    from unnest(the_ids, the_attempts, the_answered, the_requests_sent, the_http_statuses, the_error_codes, the_answers, the_outcomes)
      as g(id, attempt, ended_at, request_sent, http_status, error_code, answer, outcome)
   where a.send = g.id and a.attempt = g.attempt and a.ended_at is null;
end $$;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
drop function fire_sends(uuid[], uuid[], integer[], text[], text[], timestamptz[], timestamptz, text, interval);
drop function record_answers(uuid[], uuid[], integer[], text[], text[], text[], timestamptz[], text[], text[], timestamptz[],
  timestamptz[], boolean[], integer[], text[], text[], text[], text);
`);
  }
}
