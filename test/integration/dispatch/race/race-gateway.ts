// The gateway of the race: its answer depends on the user, and some answers are late. Counts every request by its send and its access
// key. Its extensions are none: it takes a repeated request twice, so nobody may repeat one.
import type { Sql } from '../../../../src/platform/database/database.js';
import { requestKey } from '../../../../src/scheduler/dispatch/request-key.js';
import { lasting } from '../../../support/eventually.js';
import { failure, Gateway, json, take, type Asked, type Answer } from '../../../support/scheduler/gateway.js';

/**
 * The answers for a user's sends. fails: the first is taken and reaches nobody. refused: the first is answered 400. shy: answered 503
 * while `isBusy`. All others are taken and reach a device.
 */
export const MANNERS = ['good', 'good', 'good', 'shy', 'fails', 'refused'] as const;
export type Manner = (typeof MANNERS)[number];

export interface Call {
  readonly key: string;
  readonly status: 202 | 400 | 503;
  readonly requestId: string;
}

/** One in this many answers is late. */
const LATE_IN = 20;
/** A `shy` send is refused at most this often: each time costs a back-off. */
const MOST_SHY = 2;

interface KeyedSend {
  readonly id: string;
  readonly serviceId: string;
  readonly campaignId: string;
  readonly revision: number;
  readonly occurrence: string;
  readonly cell: string;
  readonly chunk: number;
  readonly retries: number;
  readonly released: number | null;
}

const SENDS = `
select s.id, s.service_id as "serviceId", c.campaign_id as "campaignId", s.revision, s.occurrence, s.cell, s.chunk, s.retries, s.released
  from send s join campaign c on c.id = s.campaign`;

export class RaceGateway {
  isBusy = false;
  /** By the key in their mark. */
  readonly #calls = new Map<string, Call[]>();
  readonly #sendOf = new Map<string, string>();
  readonly #keyOf = new Map<string, string>();
  readonly #ofUser = new Map<string, number>();
  /** Requests that were taken and reach nobody. */
  readonly #failing = new Set<string>();
  /** When each was complete, by the gateway's clock. */
  readonly #taken = new Map<string, string>();
  #held: Promise<void> | undefined;

  private constructor(
    private readonly gateway: Gateway,
    private readonly random: () => number,
  ) {
    gateway.extensions = [];
    gateway.answer = (asked, response) => this.#answer(asked)(asked, response);
  }

  static async open(random: () => number): Promise<RaceGateway> {
    return new RaceGateway(await Gateway.open(), random);
  }

  get url(): string {
    return this.gateway.url;
  }

  /** Has the gateway accept this key from now on. */
  know(accessKey: string, secretKey: string): void {
    this.gateway.keys.set(accessKey, secretKey);
  }

  /** Reads the keys of all sends that there are by now. Two sends with one key are an error. */
  async learn(sql: Sql): Promise<void> {
    for (const { id, serviceId, ...send } of await sql.query<KeyedSend>(SENDS)) {
      const key = requestKey(serviceId, send, send);
      const [sameKey, sameSend] = [this.#sendOf.get(key) ?? id, this.#keyOf.get(id) ?? key];
      if (sameKey !== id) throw new Error(`${id} has the key of ${sameKey}`);
      if (sameSend !== key) throw new Error(`${id} has another key than before`);
      this.#sendOf.set(key, id);
      this.#keyOf.set(id, key);
    }
  }

  /** The requests for that send, in order; learn() must have read it. */
  readonly callsOf = (send: string): readonly Call[] => {
    const key = this.#keyOf.get(send);
    if (key === undefined) throw new Error(`the key of ${send} is unknown`);
    return this.#calls.get(key) ?? [];
  };

  /** Sends that were requested; a key that no send has stands for itself. */
  readonly called = (): string[] => [...this.#calls.keys()].map((key) => this.#sendOf.get(key) ?? key);

  close(): Promise<void> {
    return this.gateway.close();
  }

  /** Answers no POST until `held` resolves. */
  answerAfter(held: Promise<void>): void {
    this.#held = held;
  }

  #answer(asked: Asked): Answer {
    if (asked.method !== 'POST') return this.#result(asked.path.split('/').at(-1) ?? '');
    // The answer is decided and counted when the request comes, even if it is never received.
    const status = this.#call(asked);
    const isLate = this.random() * LATE_IN < 1;
    const ms = 20 + this.random() * (isLate ? 3_000 : 250);
    return async (_, response) => {
      await lasting(ms);
      await this.#held;
      const answer = { 202: take, 400: failure(400, '210'), 503: failure(503, '500') }[status];
      await answer(asked, response);
    };
  }

  #call({ body, headers, requestId }: Asked): Call['status'] {
    const [user = ''] = (JSON.parse(body) as { target: { to: string[] } }).target.to;
    const [manner] = user.split(' ') as [Manner];
    const times = (this.#ofUser.get(user) ?? 0) + 1;
    this.#ofUser.set(user, times);
    const isShy = manner === 'shy' && this.isBusy && times <= MOST_SHY;
    const status = isShy ? 503 : manner === 'refused' && times === 1 ? 400 : 202;
    if (status === 202) this.#taken.set(requestId, inSeoul(Date.now()));
    if (manner === 'fails' && times === 1) this.#failing.add(requestId);
    const call: Call = { key: String(headers['x-svc-iam-access-key']), status, requestId };
    const key = keyIn(body);
    this.#calls.set(key, [...(this.#calls.get(key) ?? []), call]);
    return status;
  }

  #result(requestId: string): Answer {
    const completeTime = this.#taken.get(requestId);
    if (completeTime === undefined) return failure(404, '300');
    const isFailing = this.#failing.has(requestId);
    return json(200, {
      requestId,
      statusCode: '202',
      statusName: 'success',
      messageStatusCode: isFailing ? '500' : '200',
      messageStatusName: isFailing ? 'fail' : 'success',
      completeTime,
      targetCount: 1,
      sentCount: isFailing ? 0 : 1,
    });
  }
}

/** The default gatewayZone of a project. */
function inSeoul(at: number): string {
  return new Date(at + 9 * 3_600_000).toISOString().slice(0, -1);
}

const WHITESPACE = ' \t\n\r';

/** The key at the end of a body: two characters of white space for each digit (dispatch/build-request.ts). */
function keyIn(body: string): string {
  const places = body
    .slice(-64)
    .split('')
    .map((character) => WHITESPACE.indexOf(character));
  const digits = Array.from({ length: 32 }, (_, at) =>
    ((places[2 * at] ?? 0) * 4 + (places[2 * at + 1] ?? 0)).toString(16),
  );
  return digits.join('');
}
