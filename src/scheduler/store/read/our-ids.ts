// Schemas of our ids in requests. A campaign has two ids: ours, a UUID, and the publisher's, which is unique only within its serviceId.
import { z } from 'zod';

export const ourCampaignId = z.uuid({
  error:
    "must be our id of the campaign, a UUID: GET /v1/campaigns?campaignId=… finds it by the publisher's, and POST /v1/events answers it as campaignId",
});

export const ourSendId = z.uuid({
  error: 'must be our id of the send, a UUID: GET /v1/sends lists it, and outcomes have it as sendId',
});

export const ourRejectionId = z.uuid({
  error:
    'must be our id of the rejection, a UUID: GET /v1/rejections lists it, and GET /v1/events?source=…&id=… has it as rejectionId for an event that was refused',
});

/** The number of a revision in a path. */
export const revisionNumber = z.coerce.number().int().min(1).max(2_147_483_647);
