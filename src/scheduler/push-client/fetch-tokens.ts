// Tokens of the rates that processes share, of many projects by one statement.
import type { Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/log.js';
import { takeTokens, type TokenGrant, type TokenUse, type TokenWish } from './pace.store.js';

/** Where the rate could not be read it is asked for again after this, real milliseconds. */
const AFTER_FAULT_MS = 250;

/** Never rejects: where the rate cannot be read nobody is given any. */
export async function fetchTokens(
  wishes: readonly TokenWish[],
  use: TokenUse,
  { sql, log }: { readonly sql: Sql; readonly log: Log },
): Promise<Pick<TokenGrant, 'serviceId' | 'granted' | 'waitMs'>[]> {
  try {
    return await takeTokens(sql, wishes, use);
  } catch (error) {
    log.warn({ err: error }, 'the rate could not be read; calls wait for it');
    return wishes.map(({ serviceId }) => ({ serviceId, granted: 0, waitMs: AFTER_FAULT_MS }));
  }
}
