// push-decisions.md, "option": under a service's `strictOptions` a member no provider knows is refused by name; otherwise
// it is kept and ignored. The known ones are those the two payload builders map.
import { ANDROID_OPTIONS } from '../delivery/fcm/fcm-payload.js';
import { APNS_OPTIONS } from '../delivery/apns/apns-payload.js';
import { badRequest } from '../gateway/push-error.js';
import type { Content, Message } from './message-request.js';

/** Throws badRequest naming the first unknown member. */
export function checkOptions(message: Message): void {
  check('default', message.default, new Set([...ANDROID_OPTIONS, ...APNS_OPTIONS]));
  check('gcm', message.gcm, new Set(ANDROID_OPTIONS));
  check('apns', message.apns, new Set(APNS_OPTIONS));
}

function check(type: string, content: Content | undefined, known: ReadonlySet<string>): void {
  for (const name of Object.keys(content?.option ?? {})) {
    if (!known.has(name)) throw badRequest(`message.${type}.option.${name}: is no option of this push type`);
  }
}
