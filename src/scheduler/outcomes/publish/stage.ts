// The loops of the publishers, one for outcomes and one for the outbox, if this process has the role `publish` and brokers are
// configured. Without brokers all messages wait in the database.
import type { Stage } from '../../../platform/stage.js';
import type { Core } from '../../core.js';
import { isRejectionTopic } from '../../decide/rejection-topics.js';
import { LogReader } from '../log/log-reader.js';
import { PublishOutbox } from './publish-outbox.js';
import { PublishOutcomes } from './publish-outcomes.js';

/** Real milliseconds between two rounds that published something: outcomes that come meanwhile are published together. */
const GATHER_MS = 50;

export function publishStage(core: Core): Stage {
  const { config, publishing: database, kafka, topics } = core;
  if (kafka === undefined || !config.roles.has('publish')) return {};
  const deps = { ...core, kafka, inTransaction: database.transaction.bind(database) };
  const outbox = new PublishOutbox({
    ...deps,
    ownTopics: [topics.dead, topics.outcomes],
    allows: (topic) => isRejectionTopic(topic, config.rejectionTopics),
    keptMs: config.outboxKeptMs,
  });
  const outcomes = new PublishOutcomes({ ...deps, topic: topics.outcomes });
  const reader = new LogReader(outcomes, deps);
  return {
    loops: [
      { name: 'outbox', runOnce: () => outbox.runOnce(), idleMs: config.loopIdleMs },
      {
        name: outcomes.name,
        runOnce: (signal) => reader.runAll(signal),
        idleMs: () => outcomes.idleMs(config.loopIdleMs),
        gapMs: GATHER_MS,
      },
    ],
    checks: [
      { name: 'outbox', isNote: true, find: () => outbox.finding() },
      { name: 'outcomes', isNote: true, find: () => reader.finding() },
    ],
  };
}
