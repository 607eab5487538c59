// Schemas of our ids in requests. A campaign has two ids: ours, a UUID, and the publisher's, which is unique only within its serviceId.
import { z } from 'zod';
import { firstRow, type Sql } from '../../../platform/database/database.js';

/** Where a request has `serviceId/campaignId`, the id stands in its place before it is checked (campaign-names.interceptor.ts). */
export const ourCampaignId = z
  .uuid({
    error:
      'must be our id of the campaign, a UUID, or serviceId/campaignId with the slash as %2F: POST /v1/events answers our id as campaignId',
  })
  .meta({ description: 'Our id; requests may have serviceId/campaignId (in a path with the slash as %2F)' });

/** Unique index campaign_campaign_id. */
export async function campaignIdOf(
  sql: Sql,
  serviceId: string,
  campaignId: string,
): Promise<string | undefined> {
  const found = await firstRow<{ id: string }>(
    sql,
    'select id from campaign where service_id = $1 and campaign_id = $2',
    [serviceId, campaignId],
  );
  return found?.id;
}

export const ourSendId = z.uuid({
  error: 'must be our id of the send, a UUID: GET /v1/sends lists it, and outcomes have it as sendId',
});

export const ourRejectionId = z.uuid({
  error:
    'must be our id of the rejection, a UUID: GET /v1/rejections lists it, and GET /v1/events?source=…&id=… has it as rejectionId for an event that was refused',
});

/** The number of a revision in a path. */
export const revisionNumber = z.coerce.number().int().min(1).max(2_147_483_647);
