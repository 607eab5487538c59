// API tokens: 256 random bits, of which only the SHA-256 is kept; a token that cannot be guessed needs no slow hash. The token itself
// is answered once, when it is made, and never logged.
import { createHash, randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import { insertRows } from '../../platform/database/row-arrays.js';
import { firstRow, type Sql } from '../../platform/database/database.js';
import { GroupedStatement } from '../../platform/database/grouped-statement.js';
import { TimedCache } from '../../platform/timed-cache.js';
import { CHANNELS } from './channels.js';

export interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly serviceIds: readonly string[];
  /** The event sources it may publish, exact or as prefix/*; none: any. */
  readonly sources: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export type NewToken = Pick<TokenRow, 'name' | 'roles' | 'serviceIds' | 'sources' | 'expiresAt'>;

const COLUMNS = `id, name, roles, service_ids as "serviceIds", sources, created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", last_used_at as "lastUsedAt"`;

/** The SHA-256 of a token, as its row has it. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The most statements at once, tokens in each, and tokens that wait; beyond that, requests are refused (503). */
const LOOK_UPS = { workers: 2, groupWeight: 500, waitingWeight: 10_000 } as const;

/** The longest wait for an answer, real milliseconds: as long as any statement may take. */
const LOOK_UP_WITHIN_MS = 30_000;

export class TokenStore {
  readonly #cache: TimedCache<TokenRow | undefined>;
  /** Unknown tokens share statements, so that they take at most two of the connections that all requests use. */
  readonly #lookUps: GroupedStatement<Buffer, TokenRow | undefined>;

  constructor(
    private readonly sql: Sql,
    private readonly clock: Clock,
  ) {
    this.#cache = new TimedCache({ ttlMs: 5_000, max: 10_000, clock });
    this.#lookUps = new GroupedStatement({ run: (hashes) => this.#load(hashes), ...LOOK_UPS });
  }

  /** The row of a token, whether or not it is valid: see fault(). A revocation by another process shows within 5 s. */
  async findByHash(hash: Buffer): Promise<TokenRow | undefined> {
    return this.#cache.get(hash.toString('hex'), () => this.#lookUps.ask(hash, LOOK_UP_WITHIN_MS));
  }

  /** Why the token is not accepted; undefined: it is valid. */
  fault(row: TokenRow | undefined): 'unknown' | 'revoked' | 'expired' | undefined {
    if (row === undefined) return 'unknown';
    if (row.revokedAt !== null) return 'revoked';
    return row.expiresAt.getTime() > this.clock.now() ? undefined : 'expired';
  }

  /**
   * By the unique index on hash. Writes the time of use at most once a minute, so that not every read is a write; skips a row that
   * another process has locked.
   */
  async #load(hashes: readonly Buffer[]): Promise<(TokenRow | undefined)[]> {
    const rows = await this.sql.query<TokenRow & { readonly hash: Buffer }>(
      `with used as (
         update api_token set last_used_at = $2::timestamptz
          where id in (select id from api_token where hash = any($1::bytea[]) and revoked_at is null and expires_at > $2::timestamptz
                          and (last_used_at is null or last_used_at < $2::timestamptz - interval '1 minute')
                        for no key update skip locked)
       )
       select hash, ${COLUMNS} from api_token where hash = any($1::bytea[])`,
      [hashes, new Date(this.clock.now())],
    );
    const known = new Map(rows.map(({ hash, ...row }) => [hash.toString('hex'), row]));
    return hashes.map((hash) => known.get(hash.toString('hex')));
  }

  forget(): void {
    this.#cache.clear();
  }

  /**
   * Makes a token. The `token` of the result is the only copy there will ever be. undefined: a token that is neither revoked nor
   * expired has the name (index api_token_live_name). If two calls make the same name at once, one waits for the other's commit.
   */
  async create(sql: Sql, given: NewToken): Promise<{ token: string; row: TokenRow } | undefined> {
    const token = `car_${randomBytes(32).toString('base64url')}`;
    const now = this.clock.now();
    await sql.query(
      `update api_token set name_freed = true
        where name = $1 and revoked_at is null and not name_freed and expires_at <= $2::timestamptz`,
      [given.name, new Date(now)],
    );
    const [row] = await insertRows<object, TokenRow>(sql, {
      table: 'api_token',
      columns: `id uuid, name text, hash bytea, roles text[], service_ids text[], sources text[], created_at timestamptz,
                expires_at timestamptz`,
      rows: [{ ...given, id: v7({ msecs: now }), hash: hashToken(token), createdAt: now }],
      ending: `on conflict (name) where revoked_at is null and not name_freed do nothing returning ${COLUMNS}`,
    });
    return row && { token, row };
  }

  get(sql: Sql, id: string): Promise<TokenRow | undefined> {
    return firstRow(sql, `select ${COLUMNS} from api_token where id = $1`, [id]);
  }

  /** By the primary key, newest last; `after` is the last id seen. */
  list(sql: Sql, after: string | undefined, limit: number): Promise<TokenRow[]> {
    return sql.query(
      `select ${COLUMNS} from api_token where $1::uuid is null or id > $1 order by id limit $2`,
      [after ?? null, limit],
    );
  }

  /** Revokes a token, and notifies every process when the caller commits. Returns its row; undefined: there was none to revoke. */
  async revoke(sql: Sql, id: string): Promise<TokenRow | undefined> {
    const row = await firstRow<TokenRow>(
      sql,
      `update api_token set revoked_at = $2 where id = $1 and revoked_at is null returning ${COLUMNS}`,
      [id, new Date(this.clock.now())],
    );
    if (row !== undefined) await sql.query(`select pg_notify('${CHANNELS.access}', '')`);
    return row;
  }
}
