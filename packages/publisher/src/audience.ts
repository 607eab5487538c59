// Who gets a campaign: each kind of audience with the names that it needs (campaign-events.md, "audience").
import type { Audience } from './contract.js';

/** Members that narrow an audience down. */
type Filter = Pick<Audience, 'country' | 'deviceType'>;

export const audience = {
  everybody: (filter: Filter = {}): Audience => ({ type: 'ALL', ...filter }),
  /** Users of any of these channels, at most 1 000. */
  channels: (names: string[], filter: Filter = {}): Audience => ({ type: 'CHANNEL', to: names, ...filter }),
  /** User ids, at most 50 000. */
  users: (ids: string[], filter: Filter = {}): Audience => ({ type: 'USER', to: ids, ...filter }),
  /** The users of an uploaded list: it is the whole audience, without segments. */
  list: (name: string, filter: Filter = {}): Audience => ({ type: 'USER', list: name, ...filter }),
};
