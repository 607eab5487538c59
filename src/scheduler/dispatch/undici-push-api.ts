// PushApi and UserApi over undici. Each call is one request: signed, limited in time, never repeated; every way it may
// end comes back as a PushAnswer. Keys are opened per call through the project store, so that a rotation needs no
// restart.
import { Agent, type Dispatcher } from 'undici';
import {
  IDEMPOTENCY_KEY_HEADER,
  JSON_CONTENT_TYPE,
  RETRY_AFTER_HEADER,
} from '../../push-contract/headers.js';
import {
  messagePath,
  messagesPath,
  reservationPath,
  reserveStatusPath,
  scheduledMessagePath,
  userPath,
  usersTimezonesPath,
} from '../../push-contract/paths.js';
import { readGatewayError } from '../../push-contract/read-error.js';
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { Answered, PushAnswer, PushApi, SendCall, UserApi } from '../decide/push-api.js';
import type { Project } from '../store/project.store.js';
import { collectAnswer, type RawAnswer } from './collect-answer.js';
import { Credentials, type Credential } from './credentials.js';
import { httpDate, retryAfterOf } from './http-times.js';
import { ownFaultOf } from './own-fault.js';
import { signing, timeLimit, type PushDispatchOptions } from './push-interceptors.js';
import { SigningTimes } from './signing-times.js';

export interface UndiciPushApiOptions {
  /** To reach the gateway (DNS, TCP, TLS), real milliseconds. */
  readonly connectTimeoutMs: number;
  /** From the first byte of the request to the last of the answer, real milliseconds. */
  readonly timeoutMs: number;
}

/** What this adapter needs of the project store. */
export interface PushProjects {
  get(serviceId: string): Promise<Project | undefined>;
}

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Base {
  readonly origin: string;
  /** Without a slash at its end. */
  readonly path: string;
}

const MOST_BASES = 1_000;

export class UndiciPushApi implements PushApi, UserApi {
  readonly #agent: Agent;
  readonly #dispatcher: Dispatcher;
  readonly #credentials: Credentials;
  readonly #times = new SigningTimes();
  /** By a project's address, as it is written. */
  readonly #bases = new Map<string, Base>();

  constructor(
    private readonly projects: PushProjects,
    private readonly clock: Clock,
    options: UndiciPushApiOptions,
  ) {
    this.#credentials = new Credentials(clock);
    this.#agent = new Agent({
      connect: { timeout: options.connectTimeoutMs },
      // The interceptor's limit is the one that counts; these are the net below it.
      headersTimeout: options.timeoutMs + 1_000,
      bodyTimeout: options.timeoutMs + 1_000,
      // A connection left idle may be closed by the other side just as we write, and then nobody knows what it took. Kept
      // for longer where the other side says how long it keeps it: to open a hundred takes as long as to call over them.
      keepAliveTimeout: 2_000,
      keepAliveMaxTimeout: 30_000,
      keepAliveTimeoutThreshold: 2_000,
      pipelining: 1,
    });
    this.#dispatcher = this.#agent.compose(signing(), timeLimit(options.timeoutMs));
  }

  async send({ serviceId, sendId, body }: SendCall): Promise<PushAnswer> {
    const project = await this.projects.get(serviceId);
    const idempotent = project?.extensions.includes('idempotency-key') === true;
    return this.#call(serviceId, project, {
      method: 'POST',
      path: messagesPath(serviceId),
      headers: {
        'content-type': JSON_CONTENT_TYPE,
        ...(idempotent ? { [IDEMPOTENCY_KEY_HEADER]: sendId } : {}),
      },
      body,
    });
  }

  async cancelReservation(serviceId: string, reserveId: string): Promise<PushAnswer> {
    return this.#simple('DELETE', serviceId, reservationPath(serviceId, reserveId));
  }

  async cancelScheduled(serviceId: string, scheduleCode: string, messageId: string): Promise<PushAnswer> {
    return this.#simple('DELETE', serviceId, scheduledMessagePath(serviceId, scheduleCode, messageId));
  }

  async reserveStatus(serviceId: string, reserveId: string): Promise<PushAnswer> {
    return this.#simple('GET', serviceId, reserveStatusPath(serviceId, reserveId));
  }

  async result(serviceId: string, requestId: string): Promise<PushAnswer> {
    return this.#simple('GET', serviceId, messagePath(serviceId, requestId));
  }

  async user(serviceId: string, userId: string): Promise<PushAnswer> {
    return this.#simple('GET', serviceId, userPath(serviceId, userId));
  }

  async userTimezones(serviceId: string, channelName?: string): Promise<PushAnswer> {
    return this.#simple('GET', serviceId, usersTimezonesPath(serviceId, channelName));
  }

  /** Ends every connection; a call that still runs comes back unanswered. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #simple(method: 'GET' | 'DELETE', serviceId: string, path: string): Promise<PushAnswer> {
    return this.#call(serviceId, await this.projects.get(serviceId), { method, path });
  }

  async #call(serviceId: string, project: Project | undefined, call: Call): Promise<PushAnswer> {
    const credential = project === undefined ? undefined : this.#credentials.current(serviceId, project.keys);
    if (project === undefined || credential === undefined) {
      return notStarted(project === undefined ? 'NO_PROJECT' : (ownFaultOf(project)?.code ?? 'NO_KEY'));
    }
    const fault = ownFaultOf(project);
    if (fault !== undefined) return notStarted(fault.code);
    const base = this.#baseOf(project.baseUrl);
    const options: PushDispatchOptions = {
      origin: base.origin,
      path: base.path + call.path,
      method: call.method,
      headers: { accept: 'application/json', ...call.headers },
      body: call.body ?? null,
      signedWith: {
        accessKey: credential.key.accessKey,
        secretKey: credential.key.secretKey,
        apiKey: project.apiKey,
        timestamp: this.#timestampFor(credential, call.body),
      },
    };
    const raw = await collectAnswer(this.#dispatcher, options);
    return raw.kind === 'unanswered'
      ? raw
      : this.#judgeKeys(project, credential, options.signedWith.timestamp, raw);
  }

  #baseOf(baseUrl: string): Base {
    const known = this.#bases.get(baseUrl);
    if (known !== undefined) return known;
    const { origin, pathname } = new URL(baseUrl);
    const base = { origin, path: pathname.replace(/\/+$/, '') };
    if (this.#bases.size >= MOST_BASES) this.#bases.clear();
    this.#bases.set(baseUrl, base);
    return base;
  }

  #timestampFor(credential: Credential, body: string | undefined): number {
    const wanted = this.clock.now() + credential.offsetMs;
    return body === undefined ? wanted : this.#times.take(credential.key.accessKey, body, wanted);
  }

  #judgeKeys(project: Project, used: Credential, signedAt: EpochMs, raw: RawAnswer): Answered {
    const { status, body, header } = raw;
    const writtenAt = (): EpochMs | undefined => httpDate(header('date') ?? '');
    const retryAfterMs = retryAfterOf(header(RETRY_AFTER_HEADER), () => writtenAt() ?? this.clock.now());
    const answer: Answered = {
      kind: 'answered',
      status,
      body,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    };
    if (status < 400 || readGatewayError(status, body)?.name !== 'authenticationFailed') {
      this.#credentials.passed(project.serviceId);
      return answer;
    }
    const keys = this.#credentials.refused(project.serviceId, project.keys, used, signedAt, writtenAt());
    return { ...answer, keys };
  }
}

function notStarted(error: string): PushAnswer {
  return { kind: 'unanswered', started: false, error, timedOut: false };
}
