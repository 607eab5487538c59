// push-decisions.md, "option": under a service's `strictOptions` a member no provider knows is refused by name; otherwise
// it is kept and ignored.
import { isKnownOption } from '../../push-contract/payload/push-options.js';
import { DEVICE_TYPES, type DeviceType } from '../../push-contract/statuses.js';
import { badRequest } from '../gateway/push-error.js';
import type { Content, Message } from './message-request.js';

/** Throws badRequest naming the first unknown member. */
export function checkOptions(message: Message): void {
  check('default', message.default, DEVICE_TYPES);
  check('gcm', message.gcm, ['GCM']);
  check('apns', message.apns, ['APNS']);
}

function check(type: string, content: Content | undefined, devices: readonly DeviceType[]): void {
  for (const name of Object.keys(content?.option ?? {})) {
    if (!devices.some((device) => isKnownOption(name, device)))
      throw badRequest(`message.${type}.option.${name}: is no option of this push type`);
  }
}
