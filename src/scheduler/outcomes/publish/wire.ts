// The loops of the publishers, one for outcomes and one for the outbox, if this process has the role `publish` and brokers are
// configured. Without brokers all messages wait in the database.
import type { Core } from '../../core.js';
import { isRejectionTopic } from '../../decide/rejection-topics.js';
import { LogReader } from '../log/log-reader.js';
import { PublishOutbox } from './publish-outbox.js';
import { PublishOutcomes } from './publish-outcomes.js';

/** Real milliseconds between two rounds that published something: outcomes that come meanwhile are published together. */
const GATHER_MS = 50;

export function wirePublish(core: Core): void {
  const { config, publishing: database, kafka, loops, health } = core;
  if (kafka === undefined || config.kafka === undefined || !config.roles.has('publish')) return;
  const { topics } = config.kafka;
  const parts = { ...core, kafka, inTransaction: database.transaction.bind(database) };
  const outbox = new PublishOutbox({
    ...parts,
    ownTopics: [topics.dead, topics.outcomes],
    allows: (topic) => isRejectionTopic(topic, config.rejectionTopics),
    keptMs: config.outboxKeptMs,
  });
  loops.add({ name: 'outbox', runOnce: () => outbox.runOnce(), idleMs: config.loopIdleMs });
  const outcomes = new PublishOutcomes({ ...parts, topic: topics.outcomes });
  const reader = new LogReader(outcomes, parts);
  loops.add({
    name: outcomes.name,
    runOnce: (signal) => reader.runAll(signal),
    idleMs: () => outcomes.idleMs(config.loopIdleMs),
    gapMs: GATHER_MS,
  });
  health.addNote('outbox', () => outbox.finding());
  health.addNote('outcomes', () => reader.finding());
}
