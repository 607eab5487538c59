import type { MigrationInterface, QueryRunner } from 'typeorm';

const FIRE_SIGNATURE = `fire_sends(the_ids uuid[], the_tokens uuid[], the_revisions integer[], the_modes text[], the_rules text[], the_dues timestamptz[],
                           the_ats timestamptz[], at timestamptz, by_whom text, lease interval)`;
const FIRE_DROP = `drop function fire_sends(uuid[], uuid[], integer[], text[], text[], timestamptz[], timestamptz[], timestamptz, text, interval);`;
const BY_KEY = `
  set plan_cache_mode = force_generic_plan
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off`;
const ORDERS = `unnest(the_ids, the_tokens, the_revisions, the_modes, the_rules, the_dues, the_ats)
        as g(id, token, revision, mode, mode_rule, due_at, at)`;
const FIRED = `
         update send s set state = 'sending', history = s.history + 1, code = null, detail = null, state_at = g.at, state_by = by_whom,
           mode = g.mode, mode_rule = g.mode_rule, due_at = coalesce(g.due_at, s.due_at),
           attempts = s.attempts + 1, handed_off_at = g.at, lease_until = clock_timestamp() + lease
      from ${ORDERS}
     where s.id = g.id and s.state || '' = 'claimed' and s.claim_token = g.token and s.revision = g.revision
       and exists (select from project p
                    where p.service_id = s.service_id and (p.resting_until is null or p.resting_until <= fire_sends.at))`;
const NOTED = `
  noted as (
    insert into attempt (send, attempt, kind, started_at) select f.id, f.attempts, 'send', f.handed_off_at from fired f)`;
const WITH_CELLS = `from fired f join cell c on c.campaign = f.campaign and c.occurrence = f.occurrence and c.cell = f.cell;`;

/** Whether a cancel was asked of the campaign or of this occurrence of it. */
const asked = (send: string): string => `
       exists (select from campaign_cancel k
                where k.campaign = ${send}.campaign and (k.occurrence is null or k.occurrence = ${send}.occurrence))`;

/** Births that are told, and what a look for the campaign's end has to know of. */
const birth = (reopens: string, touched: string): string => `
create or replace function send_write_birth() returns trigger language plpgsql as $$
begin
  if exists (select from new_send where state not in ('planned', 'expired', 'skipped')) then
    raise exception 'a send begins as planned, expired or skipped'
      using errcode = 'check_violation', constraint = 'send_transition';
  end if;
  insert into send_history (send, sequence, from_state, to_state, code, detail, at, by)
  select id, history, null, state, code, detail, state_at, state_by from new_send;${reopens}
  if not exists (select from new_send where send_state_is_told(state)) then return null; end if;
  insert into outbox (id, shard, created_at, campaign, send, sequence, revision, occurrence, cell, chunk, retry_of,
                      from_state, to_state, code, detail, due_at)
  select uuid_at(state_at), campaign_shard(campaign), state_at, campaign, id, history, revision, occurrence, cell, chunk,
         retry_of, null, state, code, detail, due_at
    from new_send where send_state_is_told(state);
  insert into campaign_touched ${touched};
  perform pg_notify('carillon_publish', '');
  return null;
end $$;`;

/** As of 1763700000011, up to what is done with the told ones. */
const moved = (declares: string): string => `
create or replace function send_write_history() returns trigger language plpgsql
  set enable_nestloop = off set enable_seqscan = off set enable_hashjoin = on as $$${declares}
begin
  insert into send_history (send, sequence, from_state, to_state, code, detail, at, by)
  select n.id, n.history, o.state,
         case when t.to_state is null or n.history <> o.history + 1
              then send_refuse_arrow(n.id, o.state, n.state) else n.state end,
         n.code, n.detail, n.state_at, n.state_by
    from old_send o join new_send n on n.id = o.id
    left join send_transition t on t.from_state = o.state and t.to_state = n.state
   where o.state <> n.state;
  if not found then return null; end if;`;
const TOLD = `
    insert into outbox (id, shard, created_at, campaign, send, sequence, revision, occurrence, cell, chunk, retry_of,
                        from_state, to_state, code, detail, due_at, request_id, target_count, sent_count)
    select uuid_at(n.state_at), campaign_shard(n.campaign), n.state_at, n.campaign, n.id, n.history, n.revision,
           n.occurrence, n.cell, n.chunk, n.retry_of, o.state, n.state, n.code, n.detail, n.due_at, n.request_id,
           n.target_count, n.sent_count
      from new_send n join old_send o on o.id = n.id
     where n.state <> o.state and send_state_is_told(n.state)`;

/** `facts`: where the counts of a campaign or occurrence come from. */
const tell = (facts: string, why: string): string => `
create or replace function tell_campaign(of_campaign uuid, kind text, new_state text, of_occurrence text, at timestamptz) returns void language plpgsql as $$
declare
  c campaign%rowtype;
  counts json;
  problems jsonb;
  event uuid := uuid_at(at);
begin
  update campaign set outcomes = outcomes + 1 where id = of_campaign returning * into c;
  if kind in ('campaign.completed', 'campaign.expired', 'campaign.canceled', 'campaign.corrected', 'occurrence.completed') then
    ${facts}
  end if;${why}
  if kind = 'campaign.rejected' then
    select r.reasons into problems from revision r where r.campaign = of_campaign and r.revision = c.revision;
  end if;
  insert into outbox (id, topic, key, headers, value, shard, created_at)
  values (event, outcome_topic(), c.service_id || '/' || c.campaign_id,
          '{"content-type": "application/cloudevents+json; charset=utf-8"}',
          outcome_event(event, c.service_id, c.campaign_id, kind, at, c.outcomes, json_build_object(
            'serviceId', c.service_id, 'campaignId', c.campaign_id, 'ourId', c.id, 'revision', c.revision,
            'occurrence', of_occurrence, 'state', coalesce(new_state, c.state), 'code', c.code, 'detail', c.detail, 'problems', problems,
            'at', instant_text(at), 'counts', counts)),
          campaign_shard(c.id), at);
  perform pg_notify('carillon_publish', '');
end $$;`;

const SUMS = `select coalesce(sum(s.target_count), 0) as target, coalesce(sum(s.sent_count), 0) as sent
      from live_send l join send s on s.id = l.send`;

/**
 * A cancel marks its campaign, and the sends follow in pages; a campaign's end is looked for in pages as well, and its
 * sums are kept with its occurrences. No statement and no lock is as long as the campaign is large.
 */
export class InPages1763700000027 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- The mark of a cancel: from its commit on nothing of the campaign, or of this occurrence of it, is fired. Its sends are
-- moved page by page in order of live_send's key; the row says how far that has come.
create table campaign_cancel (
  campaign          uuid not null references campaign,
  -- null: all of them.
  occurrence        text,
  code              text not null,
  detail            text,
  asked_at          timestamptz not null,
  asked_by          text not null,
  -- Where the last page ended; null before a pass's first.
  after_occurrence  text,
  after_cell        text,
  after_chunk       integer,
  -- The pass it is in: the one that finds nothing to move is the last.
  pass              integer not null default 1,
  pass_moved        integer not null default 0,
  -- Sends of the first pass looked at so far, and all that were moved.
  looked            integer not null default 0,
  moved             integer not null default 0,
  -- By the database's clock: the cancels take their pages in turn.
  paged_at          timestamptz not null default clock_timestamp(),
  done_at           timestamptz,
  constraint campaign_cancel_key unique nulls not distinct (campaign, occurrence)
);
create index campaign_cancel_open on campaign_cancel (paged_at) where done_at is null;
-- What is being canceled already was moved in one statement.
insert into campaign_cancel (campaign, code, detail, asked_at, asked_by, done_at)
select id, code, detail, state_at, state_by, state_at from campaign where state = 'canceling' and code is not null;

-- Called by store/cancel.store.ts, which says what it is for. Rows are locked in order of id.
create function take_back_page(of_campaign uuid, of_occurrence text, after_occurrence text, after_cell text, after_chunk integer, most integer,
                               at timestamptz, by_whom text, why text, more text)
returns table (seen integer, moved integer, last_occurrence text, last_cell text, last_chunk integer) language plpgsql
  -- Planned anew: one occurrence or all of them, and from where on, are different scans.
  set plan_cache_mode = force_custom_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  set enable_partition_pruning = off as $$
#variable_conflict use_column
begin
  return query
  with page as materialized (
    select l.occurrence, l.cell, l.chunk, l.send from live_send l
     where l.campaign = of_campaign and (of_occurrence is null or l.occurrence = of_occurrence)
       and (after_occurrence is null or (l.occurrence, l.cell, l.chunk) > (after_occurrence, after_cell, after_chunk))
     order by l.occurrence, l.cell, l.chunk limit most),
  open_send as materialized (
    select s.id from page p join send s on s.id = p.send
     where s.state || '' in ('planned', 'claimed', 'held', 'reserved', 'scheduled')
        or s.state || '' in ('sending', 'canceling', 'uncertain') and s.goal is distinct from 'canceled'
     order by s.id for no key update of s),
  taken as (
    update send s set
      state = case when s.state in ('planned', 'claimed', 'held') then 'canceled'
                   when s.state in ('reserved', 'scheduled') then 'canceling' else s.state end,
      goal = case when s.state in ('planned', 'claimed', 'held') then s.goal else 'canceled' end,
      history = s.history + case when s.state in ('sending', 'canceling', 'uncertain') then 0 else 1 end,
      code = case when s.state in ('sending', 'canceling', 'uncertain') then s.code else why end,
      detail = case when s.state in ('sending', 'canceling', 'uncertain') then s.detail else more end,
      state_at = case when s.state in ('sending', 'canceling', 'uncertain') then s.state_at else at end,
      state_by = case when s.state in ('sending', 'canceling', 'uncertain') then s.state_by else by_whom end,
      claim_token = case when s.state in ('sending', 'canceling', 'uncertain') then s.claim_token end,
      lease_until = case when s.state in ('sending', 'canceling', 'uncertain') then s.lease_until end,
      looks = case when s.state in ('reserved', 'scheduled') then 0 else s.looks end,
      next_look_at = case when s.state in ('reserved', 'scheduled') then at
                          when s.state in ('planned', 'claimed', 'held') then null else s.next_look_at end
      from open_send o where s.id = o.id returning s.id)
  select count(*)::integer, (select count(*)::integer from taken), (array_agg(p.occurrence))[count(*)], (array_agg(p.cell))[count(*)],
         (array_agg(p.chunk))[count(*)] from page p;
end $$;

${FIRE_DROP}
-- Called by store/fire.store.ts, which says what it is for. Rows are locked in the order given: by id. What a cancel was
-- asked of ends here: put back to planned, it would be claimed again until its page comes.
create function ${FIRE_SIGNATURE}
returns table (id uuid, attempt integer, recipients text[], target jsonb, token uuid) language plpgsql${BY_KEY}
  set enable_partition_pruning = off as $$
#variable_conflict use_column
declare fired_count integer;
begin
  return query
  with fired as (${FIRED}
       and not ${asked('s')}
    returning s.id, s.attempts, s.recipients, s.campaign, s.occurrence, s.cell, s.handed_off_at, g.token),${NOTED}
  select f.id, f.attempts, f.recipients, c.target, f.token
    ${WITH_CELLS}
  get diagnostics fired_count = row_count;
  if fired_count < cardinality(the_ids) then
    update send s set state = 'canceled', history = s.history + 1, code = k.code, detail = k.detail, state_at = fire_sends.at,
           state_by = k.asked_by, claim_token = null, lease_until = null, next_look_at = null
      from unnest(the_ids, the_tokens) as g(id, token)
      cross join lateral (
        select k.code, k.detail, k.asked_by from send o join campaign_cancel k
            on k.campaign = o.campaign and (k.occurrence is null or k.occurrence = o.occurrence)
         where o.id = g.id order by k.occurrence nulls first limit 1) k
     where s.id = g.id and s.state || '' = 'claimed' and s.claim_token = g.token;
  end if;
end $$;

-- What a touch is about. told: a send of it came to a state that is told; began: one that was handed off.
alter table campaign_touched
  add column occurrence text,
  add column told boolean not null default false,
  add column began boolean not null default false;
-- Devices of its newest sends, kept when it ends and by whatever corrects it later.
alter table occurrence
  add column target_count bigint,
  add column sent_count bigint;
update occurrence o set target_count = f.target, sent_count = f.sent
  from (select k.campaign, k.occurrence, f.* from occurrence k cross join lateral (
          ${SUMS} where l.campaign = k.campaign and l.occurrence = k.occurrence) f
         where k.state in ('completed', 'expired', 'canceled')) f
 where o.campaign = f.campaign and o.occurrence = f.occurrence;

-- Called by store/close.store.ts, which says what it is for: of each occurrence a page of its newest sends, from the far
-- end on, or from before the chunk that is named.
create function look_through(the_campaigns uuid[], the_occurrences text[], the_cells text[], the_chunks integer[], most integer, open_states text[])
returns table (place integer, seen integer, open uuid, expired boolean, nothing boolean, begun boolean, target float8, sent float8,
               cell text, chunk integer) language plpgsql${BY_KEY} set enable_partition_pruning = off as $$
#variable_conflict use_column
begin
  return query
  select w.place::integer, p.seen, p.open, p.expired, p.nothing, p.begun, p.target, p.sent, p.cell, p.chunk
    from unnest(the_campaigns, the_occurrences, the_cells, the_chunks) with ordinality as w(campaign, occurrence, cell, chunk, place)
    cross join lateral (
      select count(*)::integer as seen, (array_agg(n.send) filter (where n.state = any(open_states)))[1] as open,
             coalesce(bool_or(n.state = 'expired'), false) as expired,
             coalesce(bool_and(n.state in ('expired', 'skipped', 'canceled')), true) as nothing,
             coalesce(bool_or(n.handed_off_at is not null), false) as begun,
             coalesce(sum(n.target_count), 0)::float8 as target, coalesce(sum(n.sent_count), 0)::float8 as sent,
             (array_agg(n.cell))[count(*)] as cell, (array_agg(n.chunk))[count(*)] as chunk
        from (select l.send, l.cell, l.chunk, s.state, s.handed_off_at, s.target_count, s.sent_count
                from live_send l join send s on s.id = l.send
               where l.campaign = w.campaign and l.occurrence = w.occurrence
                 and (w.cell is null or (l.cell, l.chunk) < (w.cell, w.chunk))
               order by l.cell desc, l.chunk desc limit most) n) p;
end $$;

${tell(
  `select json_build_object('target', coalesce(sum(o.target_count), 0), 'sent', coalesce(sum(o.sent_count), 0)) into counts
      from occurrence o
     where o.campaign = of_campaign and (of_occurrence is null or o.occurrence = of_occurrence);`,
  `
  if kind = 'occurrence.skipped' then
    select o.code into c.code from occurrence o where o.campaign = of_campaign and o.occurrence = of_occurrence;
  end if;`,
)}

${birth(
  `
  -- A retry opens its occurrence again for whoever is just closing it.
  insert into campaign_touched (campaign, occurrence) select distinct campaign, occurrence from new_send where retry_of is not null;`,
  `(campaign, occurrence, told)
  select distinct campaign, occurrence, true from new_send where send_state_is_told(state)`,
)}

-- Every statement that changes state also sets history = history + 1, state_at and state_by; code and detail with it.
-- No nested loops: the plans are cached from the first, small statement, and on a batch of n they would compare n × n
-- rows. No sequential scans: the campaigns are few when the plan is made, and many later.
${moved('')}
  -- Nothing tells of it, but it opens its occurrence again for whoever is just closing it.
  if exists (select from old_send where state = 'uncertain') then
    insert into campaign_touched (campaign, occurrence)
    select distinct n.campaign, n.occurrence from new_send n join old_send o on o.id = n.id
     where o.state = 'uncertain' and n.state <> o.state and not send_state_is_told(n.state);
  end if;
  -- Told, and a reason to look whether the campaign has begun or ended: handed off, ended or uncertain.
  with told as (${TOLD}
    returning campaign, occurrence, to_state)
  insert into campaign_touched (campaign, occurrence, told, began)
  select t.campaign, t.occurrence, true, bool_or(t.to_state not in ('canceled', 'expired', 'skipped', 'superseded'))
    from told t group by t.campaign, t.occurrence;
  if found then perform pg_notify('carillon_publish', ''); end if;
  return null;
end $$;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Every statement that changes state also sets history = history + 1, state_at and state_by; code and detail with it.
-- No nested loops: the plans are cached from the first, small statement, and on a batch of n they would compare n × n
-- rows. No sequential scans: the campaigns are few when the plan is made, and many later.
${moved(`
declare
  touched uuid[];
  closed uuid;`)}
  -- Told, and a reason to look whether the campaign has begun or ended: handed off, ended or uncertain.
  with told as (${TOLD}
    returning campaign)
  select array_agg(distinct campaign) into touched from told;
  if touched is null then return null; end if;
  insert into campaign_touched (campaign) select unnest(touched);
  perform pg_notify('carillon_publish', '');
  -- What a retry, a resolve or a late result brings to a campaign that has closed corrects its report.
  for closed in
    select c.id from campaign c
     where c.id = any(touched) and c.state in ('completed', 'expired', 'canceled') order by c.id
  loop
    perform tell_campaign(closed, 'campaign.corrected', null, null,
                          (select max(n.state_at) from new_send n where n.campaign = closed));
  end loop;
  return null;
end $$;
${birth('', '(campaign) select distinct campaign from new_send where send_state_is_told(state)')}
${tell(
  `select json_build_object('target', coalesce(sum(s.target_count), 0), 'sent', coalesce(sum(s.sent_count), 0)) into counts
      from live_send l join send s on s.id = l.send
     where l.campaign = of_campaign and (of_occurrence is null or l.occurrence = of_occurrence);`,
  '',
)}
drop function look_through(uuid[], text[], text[], integer[], integer, text[]);
alter table occurrence drop column sent_count, drop column target_count;
alter table campaign_touched drop column began, drop column told, drop column occurrence;
${FIRE_DROP}
create function ${FIRE_SIGNATURE}
returns table (id uuid, attempt integer, recipients text[], target jsonb) language plpgsql${BY_KEY} as $$
#variable_conflict use_column
begin
  return query
  with fired as (${FIRED}
    returning s.id, s.attempts, s.recipients, s.campaign, s.occurrence, s.cell, s.handed_off_at),${NOTED}
  select f.id, f.attempts, f.recipients, c.target
    ${WITH_CELLS}
end $$;
drop function take_back_page(uuid, text, text, text, integer, integer, timestamptz, text, text, text);
drop table campaign_cancel;
`);
  }
}
