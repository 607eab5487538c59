// A page of sends as /v1/sends and a campaign's sends answer it, with how many sends the filter names.
import { z } from 'zod';
import type { Database } from '../../../platform/database/database.js';
import { inSnapshot } from '../../../platform/database/snapshot.js';
import { Counted, idPlace, pageOfLooked, pageSchema, readCursor } from '../../../platform/http/paging.js';
import type { SendFilter } from '../../store/read/send-filter.js';
import { sendPage, SendView } from '../../store/read/send-view.store.js';

export const sendOrder = z.enum(['oldest', 'newest']).default('oldest').describe('By when they were created');

export const SendPage = z.object({
  ...pageSchema(SendView).shape,
  count: Counted.nullable().describe(
    'How many sends the filter names, exact up to 10 000; null after the first page',
  ),
});
export type SendPage = z.output<typeof SendPage>;

interface AskedSends extends Omit<SendFilter, 'serviceIds' | 'newestOnly'> {
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly order: z.output<typeof sendOrder>;
  readonly newest: 'true' | 'false';
}

/** `serviceIds`: the services whose sends are shown; null: all. */
export async function shownSends(
  database: Pick<Database, 'transaction'>,
  { cursor, limit, order, newest, ...asked }: AskedSends,
  serviceIds: SendFilter['serviceIds'],
): Promise<SendPage> {
  const [from] = readCursor(cursor, idPlace) ?? [];
  const filter = { ...asked, newestOnly: newest === 'true', serviceIds };
  const found = await inSnapshot(database, (sql) =>
    sendPage(sql, filter, { newest: order === 'newest', from, limit: limit + 1 }),
  );
  return { ...pageOfLooked(found.rows, limit, found.stoppedAt), count: found.count };
}
