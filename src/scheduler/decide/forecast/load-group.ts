// What a forecast is made of. Types only.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { Load } from './send-queue.js';

/** Requests of one cell that are handed off in one minute. */
export interface LoadGroup extends Load {
  readonly serviceId: string;
  /** Our id; of a previewed plan its hash. */
  readonly campaign: string;
  readonly occurrence: string;
  readonly zone: string;
  /** Of the first of them. */
  readonly dueAt: EpochMs;
  readonly deadlineAt: EpochMs | null;
  /** `lateness.max` and `.then`. */
  readonly maxLateMs: number;
  readonly beyond: 'expire' | 'send';
}
