// Chooses the mode of a send: immediate, reserved or scheduled (planning.md §5). Asked at planning for the preview and
// again at hand-off; the second answer counts.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

export const MODES = ['immediate', 'reserved', 'scheduled'] as const;
export type Mode = (typeof MODES)[number];

export const MODE_RULES = [
  'SCHEDULE_CODE',
  'DUE_NOW',
  'HELD_BY_POLICY',
  'SUB_MINUTE',
  'TOO_CLOSE_TO_RESERVE',
  'BEYOND_HORIZON',
  'RESERVABLE',
] as const;
export type ModeRule = (typeof MODE_RULES)[number];

/** planning.md §5 row 2: a send that is due within this time is sent at once. */
const DUE_NOW_MS = 2_000;

export interface ModeFacts {
  readonly dueAt: EpochMs;
  readonly now: EpochMs;
  /** The delivery names a scheduleCode. */
  readonly scheduled: boolean;
  readonly handoff: 'reserve' | 'hold';
  readonly project: ReservationLimits;
}

/** What a push project allows. */
export interface ReservationLimits {
  readonly reservations: boolean;
  /** A reservation for an instant nearer than this is not worth its round trip. */
  readonly minReserveLeadMs: number;
  /** The push service takes no reservation further ahead than this. */
  readonly reserveHorizonMs: number;
}

export interface ChosenMode {
  readonly mode: Mode;
  readonly rule: ModeRule;
  /** When the request leaves us: never before now, and an immediate send never before its due. */
  readonly handOffAt: EpochMs;
}

/** Applies the first rule of planning.md §5 that fits. */
export function chooseMode({ dueAt, now, scheduled, handoff, project }: ModeFacts): ChosenMode {
  const atDue = (rule: ModeRule): ChosenMode => ({
    mode: 'immediate',
    rule,
    handOffAt: Math.max(now, dueAt),
  });
  if (scheduled) return { mode: 'scheduled', rule: 'SCHEDULE_CODE', handOffAt: now };
  if (dueAt <= now + DUE_NOW_MS) return atDue('DUE_NOW');
  if (handoff === 'hold' || !project.reservations) return atDue('HELD_BY_POLICY');
  if (dueAt % 60_000 !== 0) return atDue('SUB_MINUTE');
  if (dueAt - now < project.minReserveLeadMs) return atDue('TOO_CLOSE_TO_RESERVE');
  if (dueAt - now > project.reserveHorizonMs) {
    return { mode: 'reserved', rule: 'BEYOND_HORIZON', handOffAt: dueAt - project.reserveHorizonMs };
  }
  return { mode: 'reserved', rule: 'RESERVABLE', handOffAt: now };
}
