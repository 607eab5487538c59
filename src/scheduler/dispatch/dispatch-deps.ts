// The dependencies of the dispatcher.
import type { Sql } from '../../platform/database/database.js';
import type { FullReads } from '../../platform/loops/full-reads.js';
import type { Core } from '../core.js';
import type { Slice } from '../decide/lifecycle/replica-slice.js';
import type { PushApi } from '../push-client/push-api.js';
import type { PushClient } from '../push-client/stage.js';
import type { ProjectStore } from '../store/project.store.js';

/** Without `tracing` there are no spans. */
export interface DispatchDeps
  extends Pick<Core, 'clock' | 'log' | 'rules'>, Partial<Pick<Core, 'tracing'>>, Pick<PushClient, 'calls'> {
  readonly sql: Sql;
  readonly pushApi: PushApi;
  readonly projects: Pick<ProjectStore, 'getMany'>;
  readonly by: string;
  /** The id of this process, which no other has or had. */
  readonly replica: string;
  /**
   * Whether the other replicas take this one for alive, and have done so since `firedAt`, elapsed(). It is asked directly before
   * the first byte of a request is written.
   */
  readonly mayLeave: (firedAt?: number) => boolean;
  /** The only database server on which sends are fired [any]; `other` is called when another server answers. */
  readonly server?: { readonly identity: () => string | undefined; readonly other: () => void };
  /** How long an answer that was written down is kept, to write it again to a database that lost it, real milliseconds [60 000]. */
  readonly replayMs?: number;
  /** This process's slice of the sends. */
  readonly slice: () => Slice;
  /** When late sends are read from the start again [so often that these reads take a twentieth of the time]. */
  readonly fullReads?: FullReads;
  /** Sends are read this long before their instant, milliseconds. */
  readonly aheadMs: number;
  /** The most sends that one statement reads or fires. */
  readonly batch: number;
  /** Asks the loop for a round. */
  readonly wake: () => void;
  /** Called after answers were written: there is something to publish. */
  readonly onWritten: () => void;
  /** Called for every answer by which the gateway took a send, with how long after its instant it left, seconds. */
  readonly onTaken?: (mode: string, lateSeconds: number) => void;
  /** Called for every answer by which the gateway did not take the send, for the metrics. */
  readonly onNotTaken: (serviceId: string, code: string) => void;
}
