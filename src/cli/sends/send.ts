// A send as the API answers it.
import { z } from 'zod';

/** What the commands read of it; the API answers more. */
export const Send = z.looseObject({
  id: z.string(),
  serviceId: z.string(),
  campaign: z.string(),
  campaignId: z.string().nullable(),
  occurrence: z.string(),
  zone: z.string().nullable(),
  state: z.string(),
  code: z.string().nullable(),
  detail: z.string().nullable(),
  stateAt: z.string(),
  stateBy: z.string(),
  mode: z.string(),
  dueAt: z.string().nullable(),
  recipients: z.number().nullable(),
  target: z.number().nullable(),
  sent: z.number().nullable(),
  requestId: z.string().nullable(),
  retryOf: z.string().nullable(),
});
export type Send = z.output<typeof Send>;
