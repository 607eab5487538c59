// What a person does to a campaign. Each act is asked twice: first with `preview=true`, which changes nothing and counts, then in earnest.
import { answerOf, api } from './client.ts';
import type { components } from './schema.gen.ts';

export type ActPreview = components['schemas']['ActPreview'];
export type ActTaken = components['schemas']['ActTaken'];

/** An approval and its opposite name what was looked at. The others do not. */
export type Act = 'pause' | 'resume' | 'cancel' | 'approve' | 'decline';

/** The revision that the person saw, with its hash (GET /v1/campaigns/{id}). */
export interface SeenRevision {
  readonly revision: number;
  readonly hash: string;
}

export interface AskedAct {
  readonly campaign: string;
  readonly act: Act;
  readonly seen?: SeenRevision;
  readonly reason?: string;
}

export const previewAct = (asked: AskedAct): Promise<ActTaken> => call(asked, { preview: 'true' }, {});

/** `key`: one for a sheet. The same act sent twice is done once. */
export const doAct = (asked: AskedAct, key: string): Promise<ActTaken> =>
  call(asked, {}, { 'Idempotency-Key': key });

function call(
  { campaign, act, seen, reason }: AskedAct,
  query: { preview?: 'true' },
  header: { 'Idempotency-Key'?: string },
): Promise<ActTaken> {
  // The five routes differ in their last word, and in what two of them ask to have been seen.
  const route = `/v1/campaigns/{id}/${act}` as '/v1/campaigns/{id}/approve';
  const body = { ...seen, ...(reason !== undefined && reason !== '' && { reason }) } as SeenRevision;
  return answerOf(api.POST(route, { params: { path: { id: campaign }, query, header }, body }));
}
