// Decides which errors of the client mean that Kafka is away, and logs the two lines of that outage.
import { messageOf } from '../logging/error-code.js';
import { Outage, type OutageOptions } from '../outage.js';
import type { KafkaClientHealth } from './kafka.js';

const EVERY_MS = 200;
const NO_BROKER = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSMetadataNotLoaded',
]);

/** Error code 56 of the protocol. */
const STORAGE_ERROR = 'KAFKA_STORAGE_ERROR';

interface ClientError extends Error {
  readonly retriable?: boolean;
  /** The broker's code, on a protocol error. */
  readonly type?: string;
  /** Node's code, on a connection error. */
  readonly code?: string;
}

interface KafkaOutageOptions extends Pick<OutageOptions, 'clock' | 'log'> {
  readonly clients: () => readonly KafkaClientHealth[];
}

export class KafkaOutage {
  readonly #outage: Outage;
  #lastMet: string | undefined;

  /**
   * Kafka is back when the consumers and the producer work again: a broker that answers may not serve its topics and groups yet.
   */
  constructor({ clients, clock, log }: KafkaOutageOptions) {
    this.#outage = new Outage({
      name: 'kafka',
      probe: async () => {
        const broken = clients().find(({ ok }) => !ok);
        if (broken !== undefined) throw new Error(this.#lastMet ?? broken.detail);
      },
      probes: 1,
      everyMs: EVERY_MS,
      away: (reason) =>
        `Kafka is away (${reason}): events stay in their topic, outcomes in the database; POST /v1/events takes events meanwhile`,
      back: 'Kafka is back',
      clock,
      log,
    });
  }

  /** Like DatabaseOutages.judge(). */
  judge(error: unknown): Promise<boolean> | undefined {
    const causes = causesOf(error);
    if (causes.length === 0) return undefined;
    const isAway = causes.some(({ name, type }) => NO_BROKER.has(name) || type === STORAGE_ERROR);
    // A broker that comes back refuses for a while: it has no leader or no coordinator yet.
    const isPassing = this.#outage.isAway && causes.some(({ retriable }) => retriable === true);
    if (!isAway && !isPassing) return undefined;
    this.#lastMet = kafkaReason(error);
    return this.#outage.met();
  }

  stop(): void {
    this.#outage.stop();
  }
}

/** The text of an error for health, the log and the command line: first advice, then the client's own words. */
export function kafkaReason(error: unknown): string {
  const text = messageOf(error);
  const advice = causesOf(error)
    .map(adviceFor)
    .find((words) => words !== undefined);
  return advice === undefined || text.startsWith(advice) ? text : `${advice}: ${text}`;
}

/** The same error, with kafkaReason() as its message. */
export function explained(error: unknown): Error {
  const text = kafkaReason(error);
  return error instanceof Error && error.message === text ? error : new Error(text, { cause: error });
}

/** OpenSSL's codes for certificates that no known authority has signed. */
const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function adviceFor({ name, type, code, message }: ClientError): string | undefined {
  if (type === STORAGE_ERROR) return 'the disk of a Kafka broker is full or broken, see its log';
  if (name === 'KafkaJSSASLAuthenticationError')
    return 'the brokers refuse the SASL user name, password or mechanism';
  if (UNKNOWN_AUTHORITY.has(code ?? ''))
    return "the authority of the broker's certificate is not trusted, give it in KAFKA_CA";
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return "the broker's certificate is for another name than the one in KAFKA_BROKERS, or than the one that the broker advertises";
  if (code === 'CERT_HAS_EXPIRED') return "the broker's certificate has expired";
  if (code === 'EPROTO' || message.includes('before secure TLS connection'))
    return 'the broker uses no TLS on that port, see KAFKA_TLS and the port';
  // Brokers also end connections when they stop.
  if (name === 'KafkaJSConnectionClosedError')
    return 'the broker ended the connection; if it always does, see KAFKA_TLS and the SASL settings';
  return undefined;
}

/** The errors of the client in a chain of causes; empty for any other error. */
function causesOf(error: unknown): ClientError[] {
  if (!(error instanceof Error)) return [];
  const first = error.name.startsWith('KafkaJS') ? [error] : [];
  return [...first, ...causesOf(error.cause)];
}
