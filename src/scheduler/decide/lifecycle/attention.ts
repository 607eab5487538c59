// Says why a campaign needs a person's attention (http-api.md, "Attention"), and why nobody got an ended campaign. The closer
// stores the reason as the campaign's code and detail; the API and the outcome events show it. Pure.
import { isFinished, type CampaignState } from './campaign-state.js';
import { PLANNING_FAILED } from './planning-tries.js';
import { ATTENTION_STATES, OPEN_STATES, REPLACED_STATES, type SendState } from './send-state.js';

/** Why a campaign ended though no provider took a device: stable codes, each with its text. */
const NOBODY_GOT_IT = {
  NOTHING_PLANNED: 'nothing was to be sent: the audience is empty, or no occurrence was left',
  ALL_SKIPPED: 'planning left out all of it',
  ALL_EXPIRED: 'all of it was too late by the policy',
  ALL_EMPTY: 'nobody of the audience has a device, or none of them consented',
  ALL_REJECTED: 'the push service refused all of it',
  ALL_FAILED: 'no provider took any of it',
  ALL_UNCERTAIN: 'nobody knows what became of it',
  NO_DEVICE_TAKEN: 'no device was taken, for several reasons',
} as const;
export type NobodyCode = keyof typeof NOBODY_GOT_IT;
export const NOBODY_CODES = Object.keys(NOBODY_GOT_IT) as readonly NobodyCode[];

/** Newest sends of a campaign by state and code. */
export interface SendCount {
  readonly state: SendState;
  readonly code: string | null;
  readonly sends: number;
}

export interface EndReason {
  readonly code: NobodyCode;
  readonly detail: string;
}

/** Sends that were never handed off. They give the reason only where a campaign has no other sends. */
const NEVER_LEFT: readonly SendState[] = ['skipped', 'expired'];
const ONE_REASON: readonly (readonly [code: NobodyCode, states: readonly SendState[]])[] = [
  ['ALL_EMPTY', ['empty']],
  ['ALL_REJECTED', ['rejected']],
  ['ALL_FAILED', ['failed', 'stale']],
  ['ALL_UNCERTAIN', ['uncertain']],
];
/** How many counts a detail lists: the largest ones. */
const MOST_NAMED = 5;

/**
 * Why nobody got an ended campaign. Undefined where somebody got it after all (an operator said that it was sent), where all of it
 * was cancelled, and while a retry is open.
 */
export function nobodyGotIt(counts: readonly SendCount[]): EndReason | undefined {
  if (counts.some(({ state }) => state === 'sent' || OPEN_STATES.includes(state))) return undefined;
  const standing = counts.filter(({ state }) => state !== 'canceled' && !REPLACED_STATES.includes(state));
  if (standing.length === 0 && counts.length > 0) return undefined;
  const code = codeOf(standing);
  return { code, detail: `${NOBODY_GOT_IT[code]}${listed(standing)}` };
}

function codeOf(counts: readonly SendCount[]): NobodyCode {
  if (counts.length === 0) return 'NOTHING_PLANNED';
  const left = counts.filter(({ state }) => !NEVER_LEFT.includes(state));
  if (left.length === 0)
    return counts.some(({ state }) => state === 'expired') ? 'ALL_EXPIRED' : 'ALL_SKIPPED';
  const one = ONE_REASON.find(([, states]) => left.every(({ state }) => states.includes(state)));
  return one?.[0] ?? 'NO_DEVICE_TAKEN';
}

/** ` (3 rejected BAD_REQUEST, 1 skipped NIGHT)` */
function listed(counts: readonly SendCount[]): string {
  if (counts.length === 0) return '';
  const sorted = counts.toSorted((a, b) => b.sends - a.sends || (nameOf(a) < nameOf(b) ? -1 : 1));
  const named = sorted.slice(0, MOST_NAMED).map((count) => `${count.sends} ${nameOf(count)}`);
  return ` (${[...named, ...(sorted.length > MOST_NAMED ? ['…'] : [])].join(', ')})`;
}

const nameOf = ({ state, code }: SendCount): string => (code === null ? state : `${state} ${code}`);

const BY_DEVICES: readonly string[] = ['ALL_EMPTY', 'ALL_FAILED', 'NO_DEVICE_TAKEN', 'SENDS_FAILED'];

export interface Attention {
  readonly code: string;
  readonly text: string;
}

/**
 * `sends` counts the newest sends by state, as far as they are known. `topReason`: why most devices and ids of the campaign got nothing,
 * by its breakdowns. Null where nothing needs attention.
 */
export function attentionOf(
  campaign: { readonly state: CampaignState; readonly code: string | null; readonly detail: string | null },
  sends: Partial<Readonly<Record<SendState, number>>> = {},
  topReason?: string,
): Attention | null {
  const attention = attentionBy(campaign, sends);
  if (topReason === undefined || attention === null || !mayHaveReason(attention)) return attention;
  return { ...attention, text: `${attention.text}; most often ${topReason}` };
}

/** Whether a breakdown may explain it. */
export const mayHaveReason = (attention: Attention | null): boolean =>
  attention !== null && BY_DEVICES.includes(attention.code);

function attentionBy(
  campaign: Parameters<typeof attentionOf>[0],
  sends: Partial<Readonly<Record<SendState, number>>>,
): Attention | null {
  const { state, code, detail } = campaign;
  if (state === 'rejected') return { code: code ?? 'REJECTED', text: detail ?? 'planning refused it' };
  const nobody = NOBODY_CODES.find((known) => known === code);
  if (nobody !== undefined && isFinished(state))
    return { code: nobody, text: detail ?? NOBODY_GOT_IT[nobody] };
  if (code === PLANNING_FAILED) return { code, text: detail ?? 'an occurrence could not be planned' };
  const bad = ATTENTION_STATES.flatMap((one) => {
    const count = sends[one] ?? 0;
    return count === 0 ? [] : [{ state: one, code: null, sends: count }];
  });
  if (bad.length === 0) return null;
  const isUnknown = bad.every(({ state: one }) => one === 'uncertain');
  const what = isUnknown ? 'of some sends nobody knows what became' : 'some sends did not go out';
  return { code: isUnknown ? 'SENDS_UNCERTAIN' : 'SENDS_FAILED', text: `${what}${listed(bad)}` };
}
