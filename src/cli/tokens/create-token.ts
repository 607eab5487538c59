// carillon tokens create: makes a token by HTTP, or with --first straight in the database, and shows it once.
import { randomBytes } from 'node:crypto';
import {
  ChangeToken,
  NewTokenView,
  tokenBody,
  type TokenBody,
} from '../../scheduler/admin/tokens/change-token.js';
import { TokenStore } from '../../scheduler/store/token.store.js';
import { withDatabase } from '../shell/cli-database.js';
import { commandClock } from '../shell/command-clock.js';
import { fromShell, shellUser } from '../shell/from-shell.js';
import { print, type JsonOption } from '../shell/output.js';
import { callScheduler, schedulerApi } from '../shell/scheduler-api.js';

export interface CreateOptions extends JsonOption {
  readonly name?: string;
  readonly role: readonly string[];
  readonly service: readonly string[];
  readonly source: readonly string[];
  readonly expires?: number;
  readonly first?: true;
}

const OPTIONS = {
  name: '--name',
  roles: '--role',
  serviceIds: '--service',
  sources: '--source',
  expiresInDays: '--expires',
};

export async function createToken(options: CreateOptions): Promise<void> {
  const given = {
    name: options.name ?? `cli-${randomBytes(4).toString('hex')}`,
    roles: unlessEmpty(options.role),
    serviceIds: unlessEmpty(options.service),
    sources: options.source,
    expiresInDays: options.expires,
  };
  const body = fromShell(tokenBody, given, OPTIONS);
  const made = options.first === true ? await madeInDatabase(body) : await madeByHttp(body);
  print(
    options,
    made,
    `${made.token}\n\n${made.roles.join(', ')} for ${made.serviceIds.join(', ')}, until ${made.expiresAt}. It is not shown again.`,
  );
}

function madeByHttp(body: TokenBody): Promise<NewTokenView> {
  const api = schedulerApi({ role: 'admin', or: '; or make the first with --first' });
  return callScheduler(api, '/v1/tokens', NewTokenView, JSON.stringify(body));
}

function madeInDatabase(body: TokenBody): Promise<NewTokenView> {
  const clock = commandClock();
  return withDatabase((dataSource) =>
    new ChangeToken(dataSource, new TokenStore(dataSource, clock), clock).create(body, shellUser()),
  );
}

/** An option that was not given is required, rather than too short a list. */
function unlessEmpty(values: readonly string[]): readonly string[] | undefined {
  return values.length === 0 ? undefined : values;
}
