// Replaces a deleted user's id by a pseudonym in the messages that name the user (docs/decisions/0070). A pass reads the messages
// of one service, one page in each round. A message that is not final keeps the name, because its client still wants it sent.
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import {
  endPass,
  FORGET_AFTER_MS,
  forgetPage,
  nextToForget,
  PAGE,
  type Pass,
} from './forgotten-user.store.js';

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export class ForgetUsers {
  #pass: Pass | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Reads one page. Returns how many messages it read, and at least 1 while a pass goes on; 0: nobody is due. */
  async runOnce(): Promise<number> {
    const pass = (this.#pass ??= await this.#nextPass());
    if (pass === undefined) return 0;
    const page = await forgetPage(this.database, pass);
    for (const userId of page.needed) pass.needed.add(userId);
    if (page.lastId !== null) pass.afterId = page.lastId;
    if (page.looked < PAGE) {
      await endPass(this.database, pass, new Date(this.clock.now() + FORGET_AFTER_MS));
      this.#pass = undefined;
    }
    return Math.max(1, page.looked);
  }

  async #nextPass(): Promise<Pass | undefined> {
    const until = new Date(this.clock.now());
    const serviceId = await nextToForget(this.database, until);
    return serviceId === undefined ? undefined : { serviceId, until, afterId: FIRST_ID, needed: new Set() };
  }
}
