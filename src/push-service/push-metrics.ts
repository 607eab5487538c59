// What the push service counts (http-api.md, "Metrics"): messages taken, devices and provider answers by this process, and
// how long what is due has waited, in the database and so for all. Counts alone: never names a user, token or key.
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Sql } from '../platform/database/database.js';
import type { Provider } from './delivery/provider.js';
import type { NewMessage } from './messages/message.store.js';

export class PushMetrics {
  readonly registry = new Registry();
  readonly #taken = this.#counter('messages_taken_total', 'Messages taken by this process', 'kind');
  readonly #devices = this.#counter(
    'devices_total',
    'Devices handed over by this process, by outcome',
    'outcome',
  );
  readonly #answers = this.#counter(
    'provider_answers_total',
    'Answers of the provider for a device, by code',
    'code',
  );

  /** Not one that was taken before. */
  taken({ kind }: Pick<NewMessage, 'kind'>): void {
    this.#taken.inc({ kind });
  }

  /** The provider, with each answer counted: OK for a device that it took, else its reason. */
  counting(provider: Provider): Provider {
    return {
      answersCanBeLost: provider.answersCanBeLost,
      send: async (batch, signal) => {
        try {
          const outcomes = await provider.send(batch, signal);
          for (const one of outcomes) {
            this.#devices.inc({ outcome: one.kind });
            this.#answers.inc({ code: one.kind === 'sent' ? 'OK' : one.reason });
          }
          return outcomes;
        } catch (error) {
          this.#answers.inc({ code: 'NO_ANSWER' }, batch.length);
          throw error;
        }
      },
    };
  }

  #counter(name: string, help: string, label: string): Counter {
    return new Counter({
      name: `carillon_push_${name}`,
      help,
      labelNames: [label],
      registers: [this.registry],
    });
  }
}

/** Read when they are scraped; a database that is away leaves the age out. */
export function addQueueMetrics(registry: Registry, sql: Sql, now: () => Date): void {
  const age: Gauge = new Gauge({
    name: 'carillon_push_queue_age_seconds',
    help: 'How long the first that is due has waited: to be fired, expanded into devices, or handed over; 0 for none',
    labelNames: ['stage'],
    registers: [registry],
    collect: async () => {
      age.reset();
      const stages = await sql.query<{ stage: string; seconds: number }>(QUEUE_AGE, [now()]).catch(() => []);
      for (const { stage, seconds } of stages) age.set({ stage }, Math.max(0, seconds));
    },
  });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 200 });
}

/** Indexes message_due, firing_ready and fan_out_chunk_oldest: rows are read of what waits alone. */
const QUEUE_AGE = `
  select stage, coalesce(extract(epoch from $1::timestamptz - due_at), 0)::float8 as seconds from (values
    ('fire', (select fire_at from message where state = 'READY' and fire_at <= $1 order by fire_at limit 1)),
    ('expand', (select due_at from firing where state = 'READY' order by id limit 1)),
    ('deliver', (select due_at from firing where id = (select firing_id from fan_out_chunk where state = 'READY'
                                                       order by firing_id, chunk_no limit 1)))
  ) as waiting(stage, due_at)`;
