// Asks a gateway whether it knows the channels and the schedule that a campaign names, and remembers what it says. One try each:
// a warning is not worth a campaign's waiting.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { gatewayNames, type GatewayName } from '../decide/audience/gateway-names.js';
import type { Campaign } from '../decide/plan/campaign.js';
import { readNamesAnswer } from '../push-client/answers/read-names-answer.js';
import type { ProjectCalls } from '../push-client/project-calls.js';
import type { UserApi } from '../push-client/push-api.js';
import { readNames, writeName } from '../store/gateway-name.store.js';

/** Pages of a hundred that a name is looked for in: beyond them nothing is said of it. */
const MOST_PAGES = 5;

export interface AskNamesParts {
  readonly database: Sql;
  readonly userApi: Pick<UserApi, 'channels' | 'schedules'>;
  readonly calls: ProjectCalls;
  readonly clock: Clock;
}

/** `mayAsk` is asked before each call. */
export async function askNames(
  { database, userApi, calls, clock }: AskNamesParts,
  { serviceId, campaign, since }: { serviceId: string; campaign: Campaign; since: number },
  mayAsk: () => boolean,
): Promise<void> {
  const names = gatewayNames(campaign);
  const [asked] = await readNames(database, [{ serviceId, names, since }], clock.now());
  for (const name of asked?.unasked ?? []) {
    const known = await isKnown(name);
    if (known === undefined) return;
    await writeName(database, serviceId, name, { known, at: clock.now() });
  }

  /** Null: no clear answer. Undefined: no call may be made. */
  async function isKnown(one: GatewayName): Promise<boolean | null | undefined> {
    const list = one.kind === 'channel' ? 'channels' : 'schedules';
    for (let page = 0; page < MOST_PAGES; page += 1) {
      if (!mayAsk()) return undefined;
      const called = await calls.call(serviceId, 'look-up', () => userApi[list](serviceId, one.name, page));
      if (called.kind !== 'called') return undefined;
      const said = readNamesAnswer(called.answer, one);
      if (said !== 'more') return said === 'failed' ? null : said === 'known';
    }
    return null;
  }
}
