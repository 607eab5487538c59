// What breakdowns of the push service say, as the rows of breakdown_rollup keep it (docs/decisions/0055).

/** The outcome of devices for which there is no breakdown; the reason says why. */
export const NOT_REPORTED = 'not-reported';

/** The outcomes of devices. Rows with another outcome count something else, and belong to the funnel alone. */
export const DEVICE_OUTCOMES = ['sent', 'failed', 'unknown', 'suppressed', NOT_REPORTED] as const;
/**
 * `answered`: requests with a breakdown; `named`: ids about which breakdowns say whether somebody has them; `absent`: those of them
 * that nobody has, or that have no device.
 */
export const FUNNEL_OUTCOMES = ['answered', 'named', 'absent'] as const;

/** How many devices of one kind have one outcome, or how many requests or ids (FUNNEL_OUTCOMES). */
export interface ReportedGroup {
  readonly device_type: string;
  readonly country: string;
  readonly language: string;
  readonly outcome: (typeof DEVICE_OUTCOMES)[number] | (typeof FUNNEL_OUTCOMES)[number] | 'pending';
  readonly reason: string | null;
  readonly devices: number;
}
