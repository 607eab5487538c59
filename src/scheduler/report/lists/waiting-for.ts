// Shows what a campaign waits for before it is planned (planning.md §2): answers that audience/ asks the push service for. Shows how
// far the look-up is and how long it may take. Only reads; asks the push service nothing.
import { z } from 'zod';
import { instantText } from '../../../platform/instant.js';
import type { Sql } from '../../../platform/database/database.js';
import { censusOf, idsWithoutZone } from '../../decide/audience/audience-needs.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { waitingLookup, type WaitingLookup } from '../../store/audience-lookup.store.js';
import { idsOfNoZone } from '../../store/listed-audience.store.js';
import { readZones } from '../../store/recipient-zone.store.js';
import { countOffsets } from '../../store/registered-offset.store.js';

const count = (description: string) => z.int().min(0).nullable().describe(description);
const instant = (description: string) => z.iso.datetime().describe(description);

export const WaitingFor = z
  .object({
    what: z
      .enum(['USER_OFFSETS', 'OFFSET_COUNTS', 'NAMES'])
      .describe(
        'USER_OFFSETS: the registered offset of each userId without a zone; OFFSET_COUNTS: how many users each offset has; NAMES: whether the push service knows the channels and the schedule that the campaign names',
      ),
    ids: count(
      'userIds whose zone nobody gave, of a list those without a zone in it; null for OFFSET_COUNTS and NAMES',
    ),
    lookedUp: count(
      'How many of them have an answer of the push service, a new one or one that still counts',
    ),
    toLookUp: count('How many of them it will still be asked about'),
    byFallback: count(
      'How many of them go by the fallback: beyond lookupMax, or given up; null for a list, whose ids are not counted so',
    ),
    failedRounds: z
      .int()
      .min(0)
      .describe('Rounds in a row without a complete answer; it is tried again until `until`'),
    since: instant('Since when it waits'),
    until: instant('When it is planned at the latest, with whatever is known by then'),
  })
  .describe('What the campaign waits for before it is planned; null where it waits for nothing');
export type WaitingFor = z.output<typeof WaitingFor>;

const NO_IDS = { ids: null, lookedUp: null, toLookUp: null, byFallback: null };

export async function waitingFor(
  sql: Sql,
  { id, serviceId }: { readonly id: string; readonly serviceId: string },
  { now, offsetCacheMs }: { readonly now: EpochMs; readonly offsetCacheMs: number },
): Promise<WaitingFor | null> {
  const lookup = await waitingLookup(sql, id);
  if (lookup === undefined) return null;
  const { data, openedAt, giveUpAt, failures } = lookup;
  const times = { failedRounds: failures, since: instantText(openedAt), until: instantText(giveUpAt) };
  if (censusOf(data, lookup) !== undefined) {
    return { what: 'OFFSET_COUNTS', ...NO_IDS, ...times };
  }
  const { audience } = data;
  if (audience !== null && 'list' in audience && data.delivery.kind === 'recipient')
    return ofList(sql, audience.version, lookup, times);
  const named = idsWithoutZone(data);
  const zones = await readZones(sql, serviceId, named);
  const ids = named.filter((userId) => !zones.has(userId));
  if (ids.length === 0) return { what: 'NAMES', ...NO_IDS, ...times };
  // The same cut-off that planning will use.
  const lookedUp = await countOffsets(sql, serviceId, ids, Math.min(now - offsetCacheMs, openedAt));
  const unknown = ids.length - lookedUp;
  const toLookUp = lookup.done ? 0 : Math.min(unknown, Math.max(0, lookup.lookupMax - lookup.asked));
  return {
    what: 'USER_OFFSETS',
    ids: ids.length,
    lookedUp,
    toLookUp,
    byFallback: unknown - toLookUp,
    ...times,
  };
}

/** Of a list it is not counted which of its ids are known by now: that would read all of them. */
async function ofList(
  sql: Sql,
  version: string | undefined,
  { done, asked, lookupMax }: WaitingLookup,
  times: Pick<WaitingFor, 'failedRounds' | 'since' | 'until'>,
): Promise<WaitingFor> {
  const ids = version === undefined ? 0 : await idsOfNoZone(sql, version);
  const toLookUp = done ? 0 : Math.max(0, Math.min(ids, lookupMax) - asked);
  return { what: 'USER_OFFSETS', ids, lookedUp: asked, toLookUp, byFallback: null, ...times };
}
