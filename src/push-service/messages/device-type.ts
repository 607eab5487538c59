// push-interface.md §2.3: "The Android device type is always named GCM in this interface"; real clients also say FCMv1.
import { z } from 'zod';
import { DEVICE_TYPES, type DeviceType } from '../../push-contract/statuses.js';
import { oneOf } from '../gateway/fields.js';

const ALIAS = 'FCMv1';

/** push-decisions.md, "Messages": `FCMv1` is accepted as a name of GCM and answered as GCM. */
export const deviceType = z
  .preprocess((given) => (given === ALIAS ? 'GCM' : given), oneOf(DEVICE_TYPES))
  .meta({ type: 'string', enum: [...DEVICE_TYPES, ALIAS] });

/** push-decisions.md, "Messages": lower case is accepted and echoed in upper case. */
export const anyCaseDeviceType = z
  .preprocess((given): unknown => {
    if (typeof given !== 'string') return given;
    const upper = given.toUpperCase();
    return upper === ALIAS.toUpperCase() ? ('GCM' satisfies DeviceType) : upper;
  }, oneOf(DEVICE_TYPES))
  .meta({ type: 'string', enum: [...DEVICE_TYPES, ALIAS] });
