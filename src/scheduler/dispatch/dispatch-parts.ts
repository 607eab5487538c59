// What the dispatcher is given.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { FullReads } from '../../platform/full-reads.js';
import type { Log } from '../../platform/log.js';
import type { Tracing } from '../../platform/tracing/tracing.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import type { Slice } from '../decide/lifecycle/slice.js';
import type { ProjectCalls } from '../push-client/project-calls.js';
import type { PushApi } from '../push-client/push-api.js';
import type { SharedWire } from '../push-client/shared-wire.js';
import type { ProjectStore } from '../store/project.store.js';
import type { Days } from '../store/send/work-days.store.js';

export interface DispatchParts {
  readonly sql: Sql;
  readonly pushApi: PushApi;
  /** The way to the gateways, shared with all who call them. */
  readonly calls: ProjectCalls;
  /** The places on the wire, which sends share with the polls of this process. */
  readonly wire: SharedWire;
  readonly projects: Pick<ProjectStore, 'getMany'>;
  readonly rules: ZoneRules;
  readonly clock: Clock;
  readonly log: Log;
  /** [off] */
  readonly tracing?: Tracing;
  readonly by: string;
  /** The id of this process, which no other has or had. */
  readonly replica: string;
  /**
   * Whether the other replicas take this one for alive, and have done so since `firedAt`, elapsed(); asked directly before the
   * first byte is written.
   */
  readonly mayLeave: (firedAt?: number) => boolean;
  /** The part of the sends that is this process's. */
  readonly slice: () => Slice;
  /** Days that may hold work. */
  readonly days: () => Promise<Days>;
  /** When what is late is read from the start again [as often as takes a twentieth of the time]. */
  readonly fullReads?: FullReads;
  /** How far ahead of their instant sends are read, milliseconds. */
  readonly aheadMs: number;
  /** How many sends one statement reads, or fires. */
  readonly batch: number;
  /** Asks the loop for a round. */
  readonly wake: () => void;
  /** Called after answers were written: there is something to publish. */
  readonly told: () => void;
  /** Called for every answer by which the send was not taken, for the metrics. */
  readonly notTaken: (serviceId: string, code: string) => void;
}
