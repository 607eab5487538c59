// push-interface.md §2.2, §4.2: the bodies and the query of channels.
import { z } from 'zod';
import { DEFAULT_PAGE_INDEX, MAX_CHANNELS_PER_REQUEST, PAGE_SIZE } from '../../push-contract/limits.js';
import { count, freeText, listOf, object, optional, text } from '../gateway/fields.js';
import { MAX_CHANNEL_NAME_LENGTH } from '../users/user-registration.js';

/** Not specified (push-interface.md §2.2). It bounds what is stored. */
const MAX_DESCRIPTION_LENGTH = 4_000;

const channelName = text(MAX_CHANNEL_NAME_LENGTH);

export const Channel = object({ channelName, channelDesc: optional(freeText(MAX_DESCRIPTION_LENGTH)) });
export type Channel = z.output<typeof Channel>;

/** Not specified (push-interface.md §4.2): an update and a deletion refuse a name that is given twice. */
export const Channels = listOf(Channel, 0, MAX_CHANNELS_PER_REQUEST).superRefine((channels, context) => {
  const seen = new Set<string>();
  channels.forEach((channel, index) => {
    if (seen.has(channel.channelName)) {
      context.addIssue({ code: 'custom', path: [index, 'channelName'], message: 'must be given once' });
    }
    seen.add(channel.channelName);
  });
});
export type Channels = z.output<typeof Channels>;

export const ChannelList = object({
  channelName: z.string().optional(),
  pageSize: count(PAGE_SIZE.min, PAGE_SIZE.max, PAGE_SIZE.default),
  // Not specified (push-interface.md §4.2): with this bound the offset is an integer that the database takes.
  pageIndex: count(0, 2_147_483_647, DEFAULT_PAGE_INDEX),
});
export type ChannelList = z.output<typeof ChannelList>;
