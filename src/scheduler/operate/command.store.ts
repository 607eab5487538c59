// Commands given to a campaign by hand; those that came as events are written by inbox.store.ts.
import type { Sql } from '../../platform/database/database.js';

export interface CommandTarget {
  readonly serviceId: string;
  /** The publisher's id. */
  readonly campaignId: string;
  readonly state: string;
}

/** Locks the campaign's row until the caller's transaction ends. */
export async function campaignForCommand(sql: Sql, campaign: string): Promise<CommandTarget | undefined> {
  const [row] = await sql.query<CommandTarget>(
    `select service_id as "serviceId", campaign_id as "campaignId", state from campaign where id = $1 for update`,
    [campaign],
  );
  return row;
}

export interface NewCommand {
  readonly id: string;
  readonly campaign: string;
  readonly kind: 'cancel' | 'pause' | 'resume';
  readonly occurrence?: string | undefined;
  readonly reason: string | undefined;
  readonly now: Date;
  readonly by: string;
}

export async function insertCommand(sql: Sql, command: NewCommand): Promise<void> {
  const { id, campaign, kind, occurrence = null, reason = null, now, by } = command;
  await sql.query(
    `insert into command (id, campaign, kind, occurrence, reason, given_at, given_by)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, campaign, kind, occurrence, reason, now, by],
  );
}
