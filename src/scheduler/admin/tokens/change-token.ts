// Makes and revokes API tokens, each with its audit row in one transaction. Only the answer to its maker has the token itself.
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.js';
import type { Database } from '../../../platform/database/database.js';
import { listOf } from '../../../platform/http/zod-schemas.js';
import { notFound, Problem } from '../../../platform/http/problem.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { writeAudit } from '../../store/audit.store.js';
import type { TokenRow, TokenStore } from '../../store/token.store.js';
import { ROLES, type Role } from '../auth/caller.js';
import { serviceIdText, source } from '../projects/project-body.js';

const DAY_MS = 86_400_000;
/** How many days a token is valid by default, and at most. */
const TOKEN_DAYS = { usual: 90, longest: 366 };

/** Tokens with one of these roles may publish: they must name their sources, unless they are for all services. */
const NEED_SOURCES: readonly Role[] = ['publisher', 'admin'];

export const tokenBody = z
  .strictObject({
    name: storableText(100)
      .min(1)
      .regex(/^[^\p{Cc}]+$/u, 'must hold no control characters'),
    roles: z.array(z.enum(ROLES)).min(1),
    /** '*' holds every serviceId. */
    serviceIds: z
      .array(z.union([serviceIdText, z.literal('*')]))
      .min(1)
      .max(1000),
    /**
     * The sources that events over HTTP may name. Required with a role that may publish; a token for '*' may name none, and then
     * takes any.
     */
    sources: z.array(source).max(100).default([]),
    /** 1 to 366 [90]. */
    expiresInDays: z.number().int().min(1).max(TOKEN_DAYS.longest).default(TOKEN_DAYS.usual),
  })
  .refine(
    ({ roles, serviceIds, sources }) =>
      sources.length > 0 || serviceIds.includes('*') || !roles.some((role) => NEED_SOURCES.includes(role)),
    {
      path: ['sources'],
      error:
        'are required of a token that may publish, such as "/shop/*": only a token of all services may name none',
    },
  );
export type TokenBody = z.output<typeof tokenBody>;

/** A token as the API shows it. */
export const TokenView = z
  .object({
    id: z.uuid(),
    name: z.string(),
    roles: listOf(z.enum(ROLES)),
    serviceIds: listOf(z.string()).describe('* holds every serviceId'),
    sources: listOf(z.string()).describe(
      'The sources of events over HTTP, exact or as prefix/*; empty: any, which only a token for all services may have',
    ),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    revokedAt: z.iso.datetime().nullable(),
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Token' });
export type TokenView = z.output<typeof TokenView>;

/** With the token itself, which is shown this once. */
export const NewTokenView = TokenView.extend({ token: z.string() }).meta({ id: 'NewToken' });
export type NewTokenView = z.output<typeof NewTokenView>;

export function viewToken(row: TokenRow): TokenView {
  const { id, name, serviceIds, sources } = row;
  return {
    id,
    name,
    roles: ROLES.filter((role) => row.roles.includes(role)),
    serviceIds,
    sources,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    revokedAt: row.revokedAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  };
}

export class ChangeToken {
  constructor(
    private readonly database: Database,
    private readonly tokens: TokenStore,
    private readonly clock: Clock,
  ) {}

  /** Throws 409 TOKEN_NAME_TAKEN. */
  async create(body: TokenBody, who: string): Promise<NewTokenView> {
    const now = this.clock.now();
    return this.database.transaction(async (sql) => {
      const made = await this.tokens.create(sql, {
        name: body.name,
        roles: [...new Set(body.roles)],
        serviceIds: [...new Set(body.serviceIds)],
        sources: [...new Set(body.sources)],
        expiresAt: new Date(now + body.expiresInDays * DAY_MS),
      });
      if (made === undefined) {
        const text = 'a token of this name is live: revoke it first, or give this one another name';
        throw new Problem(409, 'TOKEN_NAME_TAKEN', text);
      }
      const { token, row } = made;
      const after = viewToken(row);
      await writeAudit(sql, { at: new Date(now), who, action: 'token.create', target: row.id, after });
      return { ...after, token };
    });
  }

  /** Takes effect in this process at once, in others with the notification, after 5 s at the latest. Throws 404. */
  async revoke(id: string, who: string): Promise<void> {
    await this.database.transaction(async (sql) => {
      const before = await this.tokens.get(sql, id);
      const row = await this.tokens.revoke(sql, id);
      if (row === undefined || before === undefined) throw notFound('token');
      const at = new Date(this.clock.now());
      await writeAudit(sql, {
        at,
        who,
        action: 'token.revoke',
        target: id,
        before: viewToken(before),
        after: viewToken(row),
      });
    });
    this.tokens.forget();
  }
}
