// push-interface.md §2.3: "The Android device type is always named GCM in this interface". Real clients also send FCMv1.
import { z } from 'zod';
import { DEVICE_TYPES } from '../../push-contract/statuses.js';
import { oneOf } from '../gateway/fields.js';

const ALIAS = 'FCMv1';

const deviceTypeReadBy = (read: (given: unknown) => unknown) =>
  z.preprocess(read, oneOf(DEVICE_TYPES)).meta({ type: 'string', enum: [...DEVICE_TYPES, ALIAS] });

/** A text in upper case. */
export const inUpperCase = (given: unknown): unknown =>
  typeof given === 'string' ? given.toUpperCase() : given;

/** push-decisions.md, "Messages": `FCMv1` is accepted as a name of GCM and answered as GCM. */
export const deviceType = deviceTypeReadBy((given) => (given === ALIAS ? 'GCM' : given));

/** push-decisions.md, "Messages": lower case is accepted and answered in upper case. */
export const anyCaseDeviceType = deviceTypeReadBy((given) => {
  const upper = inUpperCase(given);
  return upper === ALIAS.toUpperCase() ? 'GCM' : upper;
});
