// What devices get of a message, by device type and language, as answers of the API have it.
import { z } from 'zod';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import { shownVariants } from '../../../push-contract/payload/shown-variants.js';
import type { CommonMessage } from '../../../push-contract/messages.js';
import { DEVICE_TYPES, type DeviceType } from '../../../push-contract/statuses.js';

/** Texts that one answer shows: each is rendered. */
const MOST = 100;

export const ShownMessages = z.object({
  messages: listOf(
    z.object({
      deviceType: z.enum(DEVICE_TYPES),
      language: z.string().nullable().describe('null: every language without a text of its own'),
      title: z.string().nullable(),
      text: z.string(),
      from: z
        .string()
        .nullable()
        .describe('Where the text stands in the data of the event; null: there is none'),
      option: z.record(z.string(), z.unknown()),
      bytes: count.describe('Of the request to the provider, without the token of the device'),
      isTooLarge: z.boolean(),
    }),
  ).describe('What the devices of each type and language get'),
  moreMessages: z.boolean().describe(`There are more than ${MOST}`),
});

/** `data`: of the event, or the campaign that was read from it. Its audience may name the only device type. */
export function shownMessages(message: CommonMessage, data: object): z.output<typeof ShownMessages> {
  const { audience } = data as { readonly audience?: { readonly deviceType?: DeviceType | null } | null };
  const only = audience?.deviceType ?? undefined;
  const { variants, more } = shownVariants(message, only === undefined ? DEVICE_TYPES : [only], MOST);
  return {
    messages: variants.map((variant) => ({ ...variant, option: { ...variant.option } })),
    moreMessages: more,
  };
}
