// Commands given to a campaign by hand; those that came as events are written by inbox.store.ts.
import { rowsOf, type Sql } from '../../platform/database.js';

export interface CommandTarget {
  readonly serviceId: string;
  /** The publisher's id. */
  readonly campaignId: string;
  readonly state: string;
}

/** Locks the campaign's row until the caller's transaction ends. */
export async function campaignForCommand(sql: Sql, campaign: string): Promise<CommandTarget | undefined> {
  const [row] = await rowsOf<CommandTarget>(
    sql,
    `select service_id as "serviceId", campaign_id as "campaignId", state from campaign where id = $1 for update`,
    [campaign],
  );
  return row;
}

export interface NewCommand {
  readonly id: string;
  readonly campaign: string;
  readonly kind: 'cancel' | 'pause' | 'resume';
  readonly reason: string | undefined;
  readonly now: Date;
  readonly by: string;
}

export async function insertCommand(sql: Sql, command: NewCommand): Promise<void> {
  const { id, campaign, kind, reason = null, now, by } = command;
  await rowsOf(
    sql,
    'insert into command (id, campaign, kind, reason, given_at, given_by) values ($1, $2, $3, $4, $5, $6)',
    [id, campaign, kind, reason, now, by],
  );
}
