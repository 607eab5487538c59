// push-interface.md §5: access keys and API keys. A secret is shown once, when it is made. At rest the secret of an access key is
// sealed, because it checks signatures; an API key is hashed.
import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { Problem } from '../../platform/http/problem.js';
import type { Sealer } from '../../platform/secrets/sealed.js';
import { SECRET } from '../gateway/access.store.js';
import type { AccessCache } from '../gateway/access-cache.js';
import { KEYS_CHANGED } from '../loop-names.js';
import type { IssuedKey } from './management-answers.js';
import { insertAccessKey, putApiKey } from './management.store.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export class AccessKeys {
  constructor(
    private readonly sql: Sql,
    private readonly clock: Clock,
    private readonly sealer: Sealer,
    private readonly cache: AccessCache,
  ) {}

  /** Throws 409 when the account has two keys. */
  async issue(accountId: string): Promise<IssuedKey> {
    const accessKey = [...randomBytes(20)].map((byte) => ALPHABET[byte % 32]).join('');
    const secretKey = randomBytes(30).toString('base64url');
    const secretSealed = this.sealer.seal(secretKey, SECRET, accessKey);
    const now = new Date(this.clock.now());
    if (!(await insertAccessKey(this.sql, { accountId, accessKey, secretSealed }, now)))
      throw new Problem(409, 'TWO_KEYS', 'an account has at most two access keys; delete one first');
    this.changed();
    return { accessKey, secretKey };
  }

  /** Replaces the old key of the slot at once. */
  async issueApiKey(serviceId: string, slot: 'primary' | 'secondary'): Promise<string> {
    const apiKey = randomBytes(30).toString('base64url');
    const digest = hash('sha256', apiKey, 'buffer');
    await putApiKey(this.sql, { serviceId, slot, hash: digest }, new Date(this.clock.now()));
    this.changed();
    return apiKey;
  }

  /** Makes the gateways forget the keys that they remember: here at once, in other replicas by a notification. */
  changed(): void {
    this.cache.clear();
    // If it does not get through, other replicas use the keys that they remember until the cache's period ends, as documented.
    this.sql.query(`select pg_notify('${KEYS_CHANGED}', '')`).catch(() => undefined);
  }
}
