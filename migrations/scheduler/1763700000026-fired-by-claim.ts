import type { MigrationInterface, QueryRunner } from 'typeorm';

const FIRE = (result: string, token: string): string => `
drop function fire_sends(uuid[], uuid[], integer[], text[], text[], timestamptz[], timestamptz[], timestamptz, text, interval);
-- Called by store/fire.store.ts, which says what it is for. Rows are locked in the order given: by id.
create function fire_sends(the_ids uuid[], the_tokens uuid[], the_revisions integer[], the_modes text[], the_rules text[], the_dues timestamptz[],
                           the_ats timestamptz[], at timestamptz, by_whom text, lease interval)
returns table (id uuid, ${result}attempt integer, recipients text[], target jsonb) language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  with fired as (
    update send s set state = 'sending', history = s.history + 1, code = null, detail = null, state_at = g.at, state_by = by_whom,
           mode = g.mode, mode_rule = g.mode_rule, due_at = coalesce(g.due_at, s.due_at),
           attempts = s.attempts + 1, handed_off_at = g.at, lease_until = clock_timestamp() + lease
      from unnest(the_ids, the_tokens, the_revisions, the_modes, the_rules, the_dues, the_ats)
        as g(id, token, revision, mode, mode_rule, due_at, at)
     where s.id = g.id and s.state || '' = 'claimed' and s.claim_token = g.token and s.revision = g.revision
       and exists (select from project p
                    where p.service_id = s.service_id and (p.resting_until is null or p.resting_until <= fire_sends.at))
    returning s.id, s.claim_token, s.attempts, s.recipients, s.campaign, s.occurrence, s.cell, s.handed_off_at),
  noted as (
    insert into attempt (send, attempt, kind, started_at) select f.id, f.attempts, 'send', f.handed_off_at from fired f)
  select f.id, ${token}f.attempts, f.recipients, c.target
    from fired f join cell c on c.campaign = f.campaign and c.occurrence = f.occurrence and c.cell = f.cell;
end $$;`;

/** What is fired is told with the claim it was fired for: two entries of one send may stand in one batch. */
export class FiredByClaim1763700000026 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FIRE('token uuid, ', 'f.claim_token, '));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(FIRE('', ''));
  }
}
