// Writes a rejection with every reason, and its dead letters, for each event that was not taken. In the caller's transaction.
import { hash } from 'node:crypto';
import { v7 } from 'uuid';
import type { Sql } from '../../platform/database/database.js';
import { addToOutbox } from '../store/outbox.store.js';
import { deadLetter } from './dead-letter.js';
import { insertInto } from './event-write.store.js';
import type { ArrivedEvent, KnownProject } from './judge-batch.js';
import { placeOf } from './parse/raw-event.js';
import type { Reason } from './parse/reason.js';

export interface RejectedEvent {
  readonly arrived: ArrivedEvent;
  readonly reasons: readonly Reason[];
}

interface Rejecting {
  readonly now: Date;
  readonly deadTopic: string;
  /** The projects of the events, as far as they exist, by serviceId. */
  readonly projects: ReadonlyMap<string, Pick<KnownProject, 'rejectionsTopic'>>;
}

/** The ids of the rejections, in the order of `rejected`. The rows of the events are the caller's. */
export async function writeRejections(
  sql: Sql,
  rejected: readonly RejectedEvent[],
  rejecting: Rejecting,
): Promise<string[]> {
  const { now } = rejecting;
  const newId = (): string => v7({ msecs: now.getTime() });
  const named = rejected.map((one) => ({ ...one, id: newId() }));
  await insertInto(
    sql,
    'rejection',
    named.map(({ id, arrived, reasons }) => ({
      id,
      event: arrived.id,
      service_id: serviceOf(arrived),
      reasons,
      rejected_at: now,
      ...placeOf(arrived.raw),
      body_hash: hash('sha256', arrived.raw.body, 'buffer'),
    })),
  );
  const letters = named.flatMap(({ id, arrived, reasons }) => {
    const rejection = { id, arrived, serviceId: serviceOf(arrived), reasons, at: now };
    return topicsFor(arrived, rejecting).map((topic) => ({ id: newId(), ...deadLetter(rejection, topic) }));
  });
  await addToOutbox(sql, letters);
  return named.map(({ id }) => id);
}

/** Our topic and the project's. Never the topic that the event came from: there it would be rejected again and again. */
function topicsFor(arrived: ArrivedEvent, { deadTopic, projects }: Rejecting): string[] {
  const ofProject = projects.get(serviceOf(arrived) ?? '')?.rejectionsTopic ?? deadTopic;
  const isOther = ofProject !== deadTopic && ofProject !== arrived.raw.record?.topic;
  return isOther ? [deadTopic, ofProject] : [deadTopic];
}

/** The service that an event counts for. None where the token does not hold it: the service's people must not see a stranger's event. */
export function serviceOf({ raw, parsed }: Pick<ArrivedEvent, 'raw' | 'parsed'>): string | null {
  const { serviceId } = parsed.seen;
  return serviceId === null || raw.caller?.holds(serviceId) === false ? null : serviceId;
}
