// The states that lists of sends are filtered by, as a query gives them. A word that is no state is refused: an empty
// list would read as "there are none".
import { z } from 'zod';
import { SEND_STATES } from '../decide/lifecycle/send-state.js';

/** `state=failed,stale`: any of them. */
export const sendStates = z
  .string()
  .max(200)
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(SEND_STATES)));
