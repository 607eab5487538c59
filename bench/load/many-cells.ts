// A campaign that ended long ago, with as many cells as are asked for and a sent send in each: what a report of it reads.
import { v7 } from 'uuid';
import type { Database, Sql } from '../../src/platform/database/database.js';
import { policyDefaults } from '../../src/scheduler/decide/timing/campaign-policy.js';
import { REQUEST } from '../dispatch/same-call.js';

/** The cells of one statement. */
const PAGE = 100_000;

/** Returns the campaign's id. Triggers would ask for the births of its sends. */
export async function manyCells(sql: Database, serviceId: string, cells: number): Promise<string> {
  const campaign = v7();
  const at = new Date();
  await asReplica(sql, async (tx) => {
    await tx.query(
      `insert into campaign (id, service_id, campaign_id, event, state, newest_time, plan_at, state_at, state_by, created_at)
       values ($1, $2, 'many-cells', $1, 'completed', $3, null, $3, 'bench', $3)`,
      [campaign, serviceId, at],
    );
    const data = JSON.stringify({ policy: policyDefaults, delivery: { kind: 'now' } });
    await tx.query(
      `insert into revision (campaign, revision, event, state, data, request, taken_at) values ($1, 1, $1, 'in-force', $2, $3, $4)`,
      [campaign, data, JSON.stringify(REQUEST), at],
    );
    await tx.query(
      `insert into occurrence (campaign, occurrence, revision, state, state_at) values ($1, 'once', 1, 'completed', $2)`,
      [campaign, at],
    );
  });
  for (let from = 0; from < cells; from += PAGE) {
    const page = [campaign, from, Math.min(from + PAGE, cells) - 1, at];
    await asReplica(sql, async (tx) => {
      await tx.query(
        `insert into cell (campaign, occurrence, cell, revision, zone, zone_source, target, intended_at, due_at, mode, mode_rule, chunks)
         select $1, 'once', 'UTC|' || n, 1, 'UTC', 'delivery', '{"type":"ALL"}', $4, $4, 'immediate', 'DUE_NOW', 1
           from generate_series($2::int, $3::int) as n`,
        page,
      );
      await tx.query(
        `insert into send (id, ended_at, service_id, campaign, revision, occurrence, cell, chunk, state, state_at, state_by, mode, mode_rule,
                           intended_at, due_at, next_at, attempts, request_id, handed_off_at, answered_at, target_count,
                           sent_count, complete_time, changes, created_at)
         select uuidv7(), $4, $5, $1, 1, 'once', 'UTC|' || n, 0, 'sent', $4, 'bench', 'immediate', 'DUE_NOW',
                $4, $4, null, 1, 'r-' || n, $4, $4, 1, 1, $4, 4, $4
           from generate_series($2::int, $3::int) as n`,
        [...page, serviceId],
      );
    });
  }
  return campaign;
}

function asReplica(database: Database, work: (tx: Sql) => Promise<void>): Promise<void> {
  return database.transaction(async (tx) => {
    await tx.query("set local session_replication_role = 'replica'");
    await work(tx);
  });
}
