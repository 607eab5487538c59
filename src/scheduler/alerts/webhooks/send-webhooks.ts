// The loop `webhooks`: makes messages of what began or ended within ten seconds, and posts those that are due. Any number of processes
// may run it: each message is made once, and leased by one process for each try.
import { v7 } from 'uuid';
import type { Clock } from '../../../platform/clock.js';
import type { Database } from '../../../platform/database/database.js';
import { Secret } from '../../../platform/env.js';
import type { Log } from '../../../platform/logging/log.js';
import { SealError, type Sealer } from '../../../platform/secrets/sealed.js';
import { WEBHOOK_SECRET } from '../../store/sealed-columns.js';
import { changesBody, testBody } from './message-body.js';
import type { PostEnd, WebhookClient } from './webhook-client.js';
import { endTry, insertMessages, leaseDue, takeChanges, type DueMessage } from './webhook-message.store.js';
import type { WebhookAddress } from './webhook.store.js';

/** Real milliseconds for which changes are gathered to one message. */
const GATHER_MS = 10_000;
/** Waits after each try that failed, real milliseconds: eight tries within a day. */
const WAITS_MS = [5_000, 30_000, 120_000, 900_000, 3_600_000, 14_400_000, 64_800_000];
/** Posts at once. */
const MOST = 10;
/** Longer than a post may take. */
const LEASE_MS = 30_000;

export interface SendWebhooksDeps {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly client: Pick<WebhookClient, 'post'>;
  readonly clock: Pick<Clock, 'now'>;
  /** The real time, in which receivers judge signatures. */
  readonly wall: () => number;
  readonly log: Log;
}

export class SendWebhooks {
  constructor(
    private readonly deps: SendWebhooksDeps,
    private readonly gatherMs = GATHER_MS,
    private readonly waitsMs: readonly number[] = WAITS_MS,
  ) {}

  /** Returns how many it posted: while there are more, the loop goes on. */
  async runOnce(): Promise<number> {
    const { database } = this.deps;
    await this.#makeMessages();
    const due = await leaseDue(database, MOST, LEASE_MS);
    await Promise.all(due.map((message) => this.#send(message)));
    return due.length;
  }

  /** One try, whose answer the caller sees. */
  test(id: string, address: WebhookAddress): Promise<PostEnd> {
    return this.#post(id, address, `msg_${v7()}`, testBody(this.deps.clock.now()));
  }

  async #makeMessages(): Promise<void> {
    const { database, clock } = this.deps;
    await database.transaction(async (sql) => {
      const changes = await takeChanges(sql, this.gatherMs);
      const webhooks = [...new Set(changes.map(({ webhook }) => webhook))];
      const messages = webhooks.map((webhook) => {
        const own = changes.filter((change) => change.webhook === webhook);
        return { id: `msg_${v7()}`, webhook, body: changesBody(own, clock.now()) };
      });
      await insertMessages(sql, messages, new Date(clock.now()));
    });
  }

  async #send({ id, webhook, body, tries, ...address }: DueMessage): Promise<void> {
    const { database, log } = this.deps;
    const { status, error } = await this.#post(webhook, address, id, body);
    const againMs = error === null ? null : (this.waitsMs[tries - 1] ?? null);
    if (error !== null) {
      const text = againMs === null ? 'a webhook message is given up' : 'a webhook message was not taken';
      log.warn({ webhook, message: id, tries, status, error }, text);
    }
    await endTry(database, { id, webhook, error, againMs });
  }

  async #post(webhook: string, address: WebhookAddress, id: string, body: string): Promise<PostEnd> {
    const { sealer, client, wall } = this.deps;
    try {
      const secret = new Secret(sealer.open(address.secretSealed, WEBHOOK_SECRET, webhook));
      return await client.post({ url: address.url, secret, id, body, at: new Date(wall()) });
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      return { status: null, error: error.code };
    }
  }
}
