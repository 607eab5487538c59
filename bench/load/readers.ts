// People who ask for much at once and ask again as soon as they are answered: whole ledgers, lists without a filter, and a
// large report as CSV; or reports over many campaigns. And one service that means harm: it asks again at once whatever the
// answer is, and leaves reports unread.
import { once, setMaxListeners } from 'node:events';
import { scheduler } from 'node:timers/promises';
import { Agent, request } from 'undici';

export interface Read {
  answers: number;
  /** Answered 503: others had the turns; or 429: its own budget was spent. */
  refused: number;
  /** Cut off, or without an answer. */
  broken: number;
  /** Bytes of all answers, including those that were cut off. */
  bytes: number;
  longestMs: number;
}

export type ReadKind = 'ledger' | 'list' | 'CSV' | 'report' | 'unread CSV' | 'plan' | 'request';

/** How many of each kind ask at the same time. */
export type Crowd = Readonly<Partial<Record<ReadKind, number>>>;
export const CROWDS = {
  all: { ledger: 10, list: 20, CSV: 1 },
  reports: { report: 2 },
  hostile: { ledger: 10, list: 190, 'unread CSV': 10, plan: 10, request: 20 },
} as const satisfies Record<string, Crowd>;
/** How long a reader waits who was refused or cut off, real milliseconds: less than the API asks for. */
const AGAIN_MS = 1_000;
/** A plan of as many cells as a zone has places. */
const PLANNED_ZONES = Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'));
const LISTS = ['/v1/sends?limit=500', '/v1/campaigns?limit=500'];
const REFUSED = [429, 503];
const REPORTS = ['/v1/reports/summary?groupBy=hour,zone', '/v1/reports/lateness?groupBy=zone'];

export interface ReadersAt {
  readonly url: string;
  readonly token: string;
  /** Whose report is read. */
  readonly campaign: string;
  /** The service for which events are planned. */
  readonly serviceId: string;
  /** Asks again at once after a refusal. */
  readonly isHostile?: boolean;
}

export class Readers {
  readonly read: Readonly<Partial<Record<ReadKind, Read>>>;
  readonly #agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  readonly #ending = new AbortController();
  readonly #running: Promise<void>[] = [];

  constructor(
    private readonly at: ReadersAt,
    private readonly crowd: Crowd,
  ) {
    this.read = Object.fromEntries(Object.keys(crowd).map((kind) => [kind, none()]));
  }

  /** All of them at once. */
  begin(): void {
    // Each reader listens to it.
    setMaxListeners(0, this.#ending.signal);
    const paths: Record<ReadKind, readonly string[]> = {
      ledger: ['/v1/ledger'],
      list: LISTS,
      CSV: [`/v1/reports/campaigns/${this.at.campaign}`],
      report: REPORTS,
      'unread CSV': [`/v1/reports/campaigns/${this.at.campaign}`],
      plan: ['/v1/plans'],
      request: ['/v1/campaigns/00000000-0000-4000-8000-000000000000'],
    };
    for (const [kind, read] of Object.entries(this.read) as [ReadKind, Read][])
      for (let reader = 0; reader < (this.crowd[kind] ?? 0); reader += 1)
        this.#running.push(this.#goOn(kind, paths[kind][reader % paths[kind].length] ?? '', read));
  }

  /** What is under way is cut off: it counts with the time it has taken so far, and not as an answer. */
  async end(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#running);
    await this.#agent.destroy();
  }

  async #goOn(kind: ReadKind, path: string, read: Read): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const began = performance.now();
      const outcome = await this.#ask(kind, path, read);
      read.longestMs = Math.max(read.longestMs, performance.now() - began);
      if (signal.aborted) return;
      read[outcome] += 1;
      const isPatient = this.at.isHostile !== true;
      if (outcome !== 'answers' && isPatient)
        await scheduler.wait(AGAIN_MS, { signal }).catch(() => undefined);
    }
  }

  async #ask(kind: ReadKind, path: string, read: Read): Promise<'answers' | 'refused' | 'broken'> {
    const { url, token } = this.at;
    try {
      const { statusCode, body } = await request(url + path, {
        dispatcher: this.#agent,
        ...(kind === 'plan' && { method: 'POST', body: this.#plan() }),
        signal: this.#ending.signal,
        headers: {
          authorization: `Bearer ${token}`,
          accept: kind.endsWith('CSV') ? 'text/csv' : 'application/json',
          ...(kind === 'plan' && { 'content-type': 'application/json' }),
        },
      });
      if (kind === 'unread CSV' && statusCode === 200) {
        // The rest is left in the socket, until the API cuts it off.
        await once(body, 'readable');
        await once(body, 'close', { signal: this.#ending.signal });
        return 'broken';
      }
      for await (const part of body) if (statusCode === 200) read.bytes += (part as Buffer).length;
      // What a mere request asks for is not there.
      if (statusCode === (kind === 'request' ? 404 : 200)) return 'answers';
      if (REFUSED.includes(statusCode)) return 'refused';
      throw new Error(`${path} was answered ${statusCode}`);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith(path)) throw error;
      return 'broken';
    }
  }

  #plan(): string {
    const segments = PLANNED_ZONES.map((zone) => ({ zone, audience: { type: 'USER', to: [zone] } }));
    const delivery = { at: '2030-05-01T09:00', zone: 'recipient', segments };
    const message = { default: { content: `hello ${Math.random()}` } };
    return JSON.stringify({ serviceId: this.at.serviceId, messageType: 'NOTIF', message, delivery });
  }
}

function none(): Read {
  return { answers: 0, refused: 0, broken: 0, bytes: 0, longestMs: 0 };
}
