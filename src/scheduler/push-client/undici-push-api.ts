// PushApi and UserApi over undici. Each call is one request: signed, limited in time, never repeated; however it ends, it returns a
// PushAnswer. The keys are read from the project store for each call, so that a rotation needs no restart.
import { Agent } from 'undici';
import { v7 } from 'uuid';
import {
  API_KEY_HEADER,
  EXTENSIONS_HEADER,
  extensionsNamed,
  IDEMPOTENCY_KEY_HEADER,
  JSON_CONTENT_TYPE,
  RETRY_AFTER_HEADER,
  type Extension,
} from '../../push-contract/headers.js';
import * as paths from '../../push-contract/paths.js';
import { readGatewayError } from '../../push-contract/read-error.js';
import { signedHeaders } from '../../push-contract/signature.js';
import type { Clock, EpochMs } from '../../platform/clock.js';
import { httpDate, retryAfterOf } from '../../platform/http/http-times.js';
import { traceMembers, type TraceContext } from '../../platform/tracing/trace-context.js';
import {
  NOT_LEFT,
  type Answered,
  type PreparedCall,
  type PushAnswer,
  type PushApi,
  type SendCall,
  type Unanswered,
  type UserApi,
} from './push-api.js';
import { addressOf, type Project, type ProjectStore } from '../store/project.store.js';
import { collectAnswer, type RawAnswer } from './collect-answer.js';
import { Credentials, type Credential } from './credentials.js';
import type { CallEnd, GatewaySilences } from './gateway-silences.js';
import { ADDRESS_REFUSED, GatewayHosts } from './gateway-hosts.js';
import { localFaultOf, type LocalFault } from './blocks/local-fault.js';
import { SigningTimes } from './signing-times.js';
import { gatewayConnect } from './undici-connect.js';

export interface UndiciPushApiOptions {
  /** Limit on opening a connection (DNS, TCP, TLS), real milliseconds. */
  readonly connectTimeoutMs: number;
  /** Limit from the first byte of the request to the last of the answer, real milliseconds. */
  readonly timeoutMs: number;
  /** The hosts that may be called [all, except refused addresses]. */
  readonly hosts?: GatewayHosts;
  /** Called with the offset of a gateway's clock while requests are signed by that: with every answer; and with 0 when that ends. */
  readonly corrected?: (serviceId: string, offsetMs: number) => void;
  /** Called with what each answer to a signed request says of the gateway's extensions. */
  readonly offered?: (project: Project, offers: readonly Extension[]) => void;
  /** Told when a signed call leaves, and how it ended. */
  readonly silences?: Pick<GatewaySilences, 'began' | 'ended'>;
}

export type PushProjects = Pick<ProjectStore, 'get' | 'fresh'>;

interface Call {
  /** When it leaves, by our clock. */
  readonly at: EpochMs;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly trace?: TraceContext | undefined;
  readonly send?: Pick<SendCall, 'sendId' | 'key' | 'body'>;
  /** The body of a POST other than POST messages. */
  readonly body?: string;
}

/** The address of a project's calls. */
interface Target {
  /** Why no call can be made. */
  readonly fault: LocalFault | undefined;
  readonly origin: string;
  /** Without a trailing slash. */
  readonly path: string;
}

export class UndiciPushApi implements PushApi, UserApi {
  readonly #agent: Agent;
  readonly #credentials: Credentials;
  readonly #times = new SigningTimes();
  /** By project; a project whose settings have changed is another object. */
  readonly #targets = new WeakMap<Project, Target>();

  constructor(
    private readonly projects: PushProjects,
    private readonly clock: Clock,
    private readonly options: UndiciPushApiOptions,
  ) {
    this.#credentials = new Credentials(clock, options.corrected);
    this.#agent = new Agent({
      connect: gatewayConnect(options.hosts ?? new GatewayHosts(), options.connectTimeoutMs),
      // collectAnswer() limits the whole call.
      headersTimeout: 0,
      bodyTimeout: 0,
      // The gateway may close an idle connection just as we write, and then nobody knows whether it took the request. A connection is
      // kept longer if the gateway says how long it keeps it: opening a hundred takes as long as calling over them.
      keepAliveTimeout: 2_000,
      keepAliveMaxTimeout: 30_000,
      keepAliveTimeoutThreshold: 2_000,
      pipelining: 1,
    });
  }

  async prepareSend({ serviceId, at, trace, sendId, key, body }: SendCall): Promise<PreparedCall> {
    const project = await this.projects.get(serviceId);
    const path = paths.messagesPath(serviceId);
    return this.#prepare(serviceId, project, {
      at,
      method: 'POST',
      path,
      trace,
      send: { sendId, key, body },
    });
  }

  async cancelReservation(serviceId: string, reserveId: string, trace?: TraceContext): Promise<PushAnswer> {
    return this.#simple('DELETE', serviceId, paths.reservationPath(serviceId, reserveId), trace);
  }

  async cancelScheduled(
    serviceId: string,
    scheduleCode: string,
    messageId: string,
    trace?: TraceContext,
  ): Promise<PushAnswer> {
    return this.#simple(
      'DELETE',
      serviceId,
      paths.scheduledMessagePath(serviceId, scheduleCode, messageId),
      trace,
    );
  }

  async closeKey(serviceId: string, key: string): Promise<PushAnswer> {
    return this.#simple('PUT', serviceId, paths.messageKeyPath(serviceId, key));
  }

  readonly reserveStatus = this.#get(paths.reserveStatusPath);
  readonly result = this.#get(paths.messagePath);
  readonly breakdown = this.#get(paths.breakdownPath);
  readonly user = this.#get(paths.userPath);
  readonly timezones = this.#get(paths.timezonesPath);
  async timezonesOf(serviceId: string, userIds: readonly string[]): Promise<PushAnswer> {
    const project = await this.projects.get(serviceId);
    const [path, body] = [paths.timezonesOfPath(serviceId), JSON.stringify({ userIds })];
    const call = { at: this.clock.now(), method: 'POST', path, body } as const;
    return await this.#prepare(serviceId, project, call)(() => true);
  }

  readonly channels = this.#get(paths.channelsNamedPath);
  readonly schedules = this.#get(paths.schedulesCodedPath);

  /** Makes an unsigned request for something that does not exist, to see whether any answer comes. `limitMs`: real milliseconds. */
  async reach({ serviceId, baseUrl }: Project, limitMs: number): Promise<RawAnswer | Unanswered> {
    const { origin, pathname } = new URL(baseUrl);
    const path = pathname.replace(/\/+$/, '') + paths.messagePath(serviceId, v7());
    return collectAnswer(this.#agent, { origin, path, method: 'GET' }, limitMs);
  }

  /** Ends every connection; a call that still runs returns as unanswered. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  /** A method that makes a GET for `pathOf`. */
  #get<Names extends unknown[]>(pathOf: (serviceId: string, ...names: Names) => string) {
    return (serviceId: string, ...names: Names): Promise<PushAnswer> =>
      this.#simple('GET', serviceId, pathOf(serviceId, ...names));
  }

  async #simple(
    method: 'GET' | 'PUT' | 'DELETE',
    serviceId: string,
    path: string,
    trace?: TraceContext,
  ): Promise<PushAnswer> {
    const project = await this.projects.get(serviceId);
    return await this.#prepare(serviceId, project, { at: this.clock.now(), method, path, trace })(() => true);
  }

  /** Builds and signs the request at once, so that it has only to be written when it is due. */
  #prepare(serviceId: string, project: Project | undefined, call: Call): PreparedCall {
    if (project === undefined) return neverStarted('NO_PROJECT');
    const credential = this.#credentials.current(serviceId, project.keys);
    const { fault, origin, path: base } = this.#targetOf(project);
    if (credential === undefined || fault !== undefined) return neverStarted(fault?.code ?? 'NO_KEY');
    const { method, trace, send } = call;
    const { accessKey, secretKey } = credential.key;
    // push-interface.md §5: the signature covers the request target as it is sent.
    const path = base + call.path;
    const wanted = call.at + credential.offsetMs;
    const timestamp = send === undefined ? wanted : this.#times.take(accessKey, send.sendId, wanted);
    const headers = signedHeaders(method, path, { accessKey, secretKey: secretKey.reveal(), timestamp });
    headers['accept'] = 'application/json';
    if (project.apiKey !== undefined) headers[API_KEY_HEADER] = project.apiKey.reveal();
    // These headers are not signed; a gateway that does not know them ignores them.
    if (trace !== undefined) Object.assign(headers, traceMembers(trace));
    const body = send?.body ?? call.body ?? null;
    if (body !== null) headers['content-type'] = JSON_CONTENT_TYPE;
    // Also to a gateway that has not said yet that it knows the header: else the first requests could never be repeated.
    if (send !== undefined && !project.extensionsOff.includes('idempotency-key'))
      headers[IDEMPOTENCY_KEY_HEADER] = send.key;
    const options = { origin, path, method, headers, body };
    return async (mayLeave) => {
      this.options.silences?.began(serviceId);
      const raw = await collectAnswer(this.#agent, options, this.options.timeoutMs, mayLeave);
      this.options.silences?.ended(serviceId, endOf(raw));
      return raw.kind === 'unanswered' ? raw : await this.#judge(project, credential, timestamp, raw);
    };
  }

  #targetOf(project: Project): Target {
    let target = this.#targets.get(project);
    if (target === undefined) {
      const fault = localFaultOf(project);
      const { origin, pathname } = fault === undefined ? new URL(project.baseUrl) : NOWHERE;
      this.#targets.set(project, (target = { fault, origin, path: pathname.replace(/\/+$/, '') }));
    }
    return target;
  }

  async #judge(project: Project, used: Credential, signedAt: EpochMs, raw: RawAnswer): Promise<Answered> {
    const { status, body, headers } = raw;
    const header = (name: string): string | undefined => [headers[name]].flat()[0];
    const writtenAt = (): EpochMs | undefined => httpDate(header('date') ?? '');
    const retryAfterMs = retryAfterOf(header(RETRY_AFTER_HEADER), () => writtenAt() ?? this.clock.now());
    const offers = offersOf(raw, header(EXTENSIONS_HEADER));
    if (offers !== undefined) this.options.offered?.(project, offers);
    const answer: Answered = { kind: 'answered', status, body, retryAfterMs, offers };
    const isRefused = status >= 400 && readGatewayError(status, body)?.name === 'authenticationFailed';
    const redirects = status >= 300 && status < 400;
    if ((isRefused || redirects) && (await this.#isOutdated(project))) {
      return { ...answer, isOutdated: true, ...(isRefused ? { keys: 'try-again' } : {}) };
    }
    if (!isRefused) {
      this.#credentials.passed(project.serviceId);
      return answer;
    }
    const refusal = { used, signedAt, dateAt: writtenAt() };
    return { ...answer, keys: this.#credentials.refused(project.serviceId, project.keys, refusal) };
  }

  /** Whether the project's address or keys changed during the call. If they cannot be read now, they count as unchanged. */
  async #isOutdated(called: Project): Promise<boolean> {
    const project = await this.projects.fresh(called.serviceId).catch(() => undefined);
    return project !== undefined && addressOf(project) !== addressOf(called);
  }
}

/**
 * What the answer says of the gateway's extensions. Without the header a good answer means that there are none; any other may come
 * from something in between.
 */
function offersOf({ status }: RawAnswer, header: string | undefined): readonly Extension[] | undefined {
  if (header !== undefined) return extensionsNamed(header);
  return status < 300 ? [] : undefined;
}

const NOWHERE = { origin: '', pathname: '' };

function endOf(raw: RawAnswer | Unanswered): CallEnd {
  if (raw.kind === 'raw' || raw.status !== undefined) return 'answered';
  return raw.error === NOT_LEFT || raw.error === ADDRESS_REFUSED ? 'not-made' : 'unanswered';
}

function neverStarted(error: string): PreparedCall {
  return () => Promise.resolve({ kind: 'unanswered', started: false, error, timedOut: false });
}
