// carillon tokens list and revoke.
import { z } from 'zod';
import { callApi, refusalOf } from '../shell/call-api.js';
import { printList, type ListOptions } from '../shell/list-of.js';
import { print, type JsonOption } from '../shell/output.js';
import { schedulerApi } from '../shell/scheduler-api.js';

const Token = z.looseObject({
  id: z.string(),
  name: z.string(),
  roles: z.array(z.string()),
  serviceIds: z.array(z.string()),
  sources: z.array(z.string()),
  expiresAt: z.string(),
  revokedAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
});

export function listTokens(options: ListOptions): Promise<void> {
  return printList(
    {
      role: 'admin',
      path: '/tokens',
      row: Token,
      columns: [
        { title: 'id', of: ({ id }) => id },
        { title: 'name', of: ({ name }) => name, as: 'cut' },
        { title: 'roles', of: ({ roles }) => roles.join(', ') },
        { title: 'services', of: ({ serviceIds }) => serviceIds.join(', '), as: 'cut' },
        { title: 'sources', of: ({ sources }) => sources.join(', '), as: 'cut' },
        { title: 'expires', of: ({ expiresAt }) => expiresAt, as: 'instant' },
        { title: 'revoked', of: ({ revokedAt }) => revokedAt, as: 'instant' },
        { title: 'used', of: ({ lastUsedAt }) => lastUsedAt, as: 'instant' },
      ],
      id: ({ id }) => id,
      none: 'no tokens',
    },
    options,
  );
}

export async function revokeToken(id: string, options: JsonOption): Promise<void> {
  const api = schedulerApi({ role: 'admin' });
  const answer = await callApi(api, 'DELETE', `/v1/tokens/${encodeURIComponent(id)}`);
  if (!answer.ok) throw refusalOf(api, answer);
  print(options, { id, revoked: true }, `${id} is revoked`);
}
