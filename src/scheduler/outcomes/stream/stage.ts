// The loop `stream`, in processes with the role `publish`: it announces outcomes to all processes. The open streams of this process,
// in processes with the role `api`.
import type { Type } from '@nestjs/common';
import type { Core } from '../../core.js';
import { LogReader } from '../log/log-reader.js';
import { cutStreams, openStreamsGauge } from './metrics.js';
import { OpenStreams } from './open-streams.js';
import { StreamController } from './stream.controller.js';
import { StreamOutcomes } from './stream-outcomes.js';

export const STREAM_CONTROLLERS: readonly Type[] = [StreamController];

/** Real milliseconds between two rounds: outcomes that come meanwhile are announced together. */
const GATHER_MS = 250;

export function streamStage(core: Core) {
  const { config, publishing: database, changes } = core;
  const cut = cutStreams();
  const streams = new OpenStreams(changes, cut);
  const outcomes = new StreamOutcomes();
  const reader = new LogReader(outcomes, { inTransaction: database.transaction.bind(database) });
  const ofLog = {
    loops: [
      {
        name: outcomes.name,
        runOnce: (signal: AbortSignal) => reader.runAll(signal),
        idleMs: config.loopIdleMs,
        gapMs: GATHER_MS,
      },
    ],
    checks: [{ name: 'stream', isNote: true, find: () => reader.finding() }],
  };
  return {
    streams,
    ...(config.roles.has('publish') && ofLog),
    providers: [{ provide: OpenStreams, useValue: streams }],
    metrics: [cut, openStreamsGauge(() => streams)],
    /** Ends the open streams: until then the process does not end. */
    stop: () => streams.end(),
  };
}
