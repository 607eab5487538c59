// What ends the rows of each table of the push service, or bounds them: docs/operate/retention.md, "What is kept".
import type { KeptTables } from '../../platform/kept.js';

export const KEPT: KeptTables = {
  'delivery payload': '`PUSH_OUTCOME_RETENTION_DAYS` after the day of their firing, as a whole',
  'message firing suppression outcome_count':
    'as many as are sent, about one kilobyte each; until `PUSH_MESSAGE_RETENTION_DAYS` after they are final',
  signed_request: 'as long as a signature is valid, ten minutes, and then until the next sweep',
  forgotten_user: 'until no message names the deleted user: 1 to 2 days if all messages are final',
  fan_out_chunk: 'until its devices have their outcomes',
  // An app would register such a device with another token.
  device: { length: 90, also: ' after a provider said that it is gone, or until a client removes it' },
  'push_user channel channel_member schedule': 'until a client removes them',
  database_epoch: 'a fixed number of rows',
  // Only today's is ever read.
  quota_use: { length: 31 },
  'account access_key service api_key provider_credential': 'as many as are made by hand',
};
