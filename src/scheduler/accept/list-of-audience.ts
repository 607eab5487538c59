// The uploaded list that a campaign goes to: acceptance pins the version that counts, and refuses a list that is not there any more.
import { instantText } from '../../platform/instant.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { Campaign } from '../decide/plan/campaign.js';
import { shown } from '../decide/quote-value.js';
import type { FoundList, ListName } from '../store/listed-audience.store.js';
import { reason, type Reason } from './parse/reason.js';

/** The name of the list that an audience names, if it does. */
export function listNamed(
  serviceId: string,
  audience: { readonly list?: string | null | undefined } | null | undefined,
): ListName[] {
  const name = audience?.list;
  return name ? [{ serviceId, name }] : [];
}

/**
 * The campaign with the version of its list, or why it cannot be taken. `find`: by nameOf(serviceId, name). `stays`: the version that
 * it has already.
 */
export function withListVersion(
  campaign: Campaign,
  find: (list: ListName) => FoundList | undefined,
  now: EpochMs,
  stays?: string,
): Campaign | Reason {
  const { audience, serviceId } = campaign;
  if (audience?.type !== 'USER' || !('list' in audience)) return campaign;
  if (stays !== undefined) return { ...campaign, audience: { ...audience, version: stays } };
  const { list } = audience;
  const found = find({ serviceId, name: list });
  const pointer = '/data/audience/list';
  if (found === undefined) {
    const text = `the project has no list ${shown(list)}: upload it first, PUT /v1/audiences/${list}`;
    return reason(pointer, 'UNKNOWN_LIST', text);
  }
  if (found.expiresAt <= now) {
    const when = found.expiresAt > 0 ? ` ended ${instantText(found.expiresAt)}` : ' has ended';
    return reason(pointer, 'LIST_EXPIRED', `the list ${shown(list)}${when}: upload it again`);
  }
  return { ...campaign, audience: { ...audience, version: found.version } };
}
