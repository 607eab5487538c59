// A campaign a second, each of so many sends of one user, published to Kafka some seconds before they are due.
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { v7 } from 'uuid';
import { TOPICS } from '../../tools/kafka/topics.js';
import { SERVICE, type SoakHouse } from './soak-house.js';

/** Between its event and its due. */
export const AHEAD_MS = 5_000;
const EVERY_MS = 1_000;

export class SteadyLoad {
  campaigns = 0;
  /** The sends of all campaigns that were published. */
  sends = 0;
  /** When the next one is to be published, real milliseconds; past while it cannot be. */
  #next = 0;
  readonly #house: SoakHouse;
  readonly #users: readonly string[];
  readonly #kafka: Kafka;

  constructor(house: SoakHouse, users: readonly string[]) {
    this.#house = house;
    this.#users = users;
    this.#kafka = new Kafka({
      clientId: 'soak',
      brokers: house.kafka.brokers,
      logLevel: logLevel.NOTHING,
      retry: { retries: 100, initialRetryTime: 100, maxRetryTime: 1_000 },
    });
  }

  /** One campaign of `count` sends, all due then. */
  async burst(count: number, dueAt: number): Promise<void> {
    await this.#publish([count], dueAt);
  }

  /** `perSecond` sends a second until `signal`; what could not be published while the broker was away is then. */
  async run(perSecond: number, signal: AbortSignal): Promise<void> {
    this.#next = Date.now();
    while (!signal.aborted) {
      const missed = Math.max(1, Math.min(30, Math.floor((Date.now() - this.#next) / EVERY_MS) + 1));
      await this.#publish(
        Array.from({ length: missed }, () => perSecond),
        this.#house.now() + AHEAD_MS,
      );
      this.#next += missed * EVERY_MS;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, this.#next - Date.now())));
    }
  }

  /** Whether all is published whose time has come. */
  get isOnTime(): boolean {
    return Date.now() < this.#next + 2 * EVERY_MS;
  }

  async #publish(counts: readonly number[], dueAt: number): Promise<void> {
    const producer = this.#kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    try {
      await producer.send({
        topic: TOPICS.events,
        messages: counts.map((count) => {
          const subject = `soak-${v7()}`;
          return {
            key: `${SERVICE}/${subject}`,
            headers: { 'content-type': 'application/cloudevents+json' },
            value: JSON.stringify(this.#event(subject, count, dueAt)),
          };
        }),
      });
    } finally {
      await producer.disconnect();
    }
    this.campaigns += counts.length;
    this.sends += counts.reduce((sum, count) => sum + count, 0);
  }

  #event(subject: string, count: number, dueAt: number): object {
    return {
      specversion: '1.0',
      id: v7(),
      source: '/demo/soak',
      type: 'carillon.campaign.scheduled.v1',
      subject,
      time: new Date(this.#house.now()).toISOString(),
      data: {
        serviceId: SERVICE,
        audience: { type: 'USER', to: this.#users.slice(0, count) },
        message: { default: { content: subject } },
        delivery: { at: new Date(dueAt).toISOString() },
        policy: { handoff: 'hold' },
      },
    };
  }
}
