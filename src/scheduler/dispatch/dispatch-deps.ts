// What the dispatcher is given.
import type { Sql } from '../../platform/database/database.js';
import type { FullReads } from '../../platform/loops/full-reads.js';
import type { Core } from '../core.js';
import type { Slice } from '../decide/lifecycle/replica-slice.js';
import type { PushApi } from '../push-client/push-api.js';
import type { PushClient } from '../push-client/wire.js';
import type { ProjectStore } from '../store/project.store.js';

/** `tracing` is off where it is left out. */
export interface DispatchDeps
  extends Pick<Core, 'clock' | 'log' | 'rules'>, Partial<Pick<Core, 'tracing'>>, Pick<PushClient, 'calls'> {
  readonly sql: Sql;
  readonly pushApi: PushApi;
  readonly projects: Pick<ProjectStore, 'getMany'>;
  readonly by: string;
  /** The id of this process, which no other has or had. */
  readonly replica: string;
  /**
   * Whether the other replicas take this one for alive, and have done so since `firedAt`, elapsed(); asked directly before the
   * first byte is written.
   */
  readonly mayLeave: (firedAt?: number) => boolean;
  /** The only database server that sends are fired on [any], and what is told when another answers. */
  readonly server?: { readonly identity: () => string | undefined; readonly other: () => void };
  /** How long an answer that was written down is kept, to tell it again to a database that lost it, real milliseconds [60 000]. */
  readonly replayMs?: number;
  /** The part of the sends that is this process's. */
  readonly slice: () => Slice;
  /** When what is late is read from the start again [as often as takes a twentieth of the time]. */
  readonly fullReads?: FullReads;
  /** How far ahead of their instant sends are read, milliseconds. */
  readonly aheadMs: number;
  /** How many sends one statement reads, or fires. */
  readonly batch: number;
  /** Asks the loop for a round. */
  readonly wake: () => void;
  /** Called after answers were written: there is something to publish. */
  readonly onWritten: () => void;
  /** Called for every answer by which the send was not taken, for the metrics. */
  readonly onNotTaken: (serviceId: string, code: string) => void;
}
