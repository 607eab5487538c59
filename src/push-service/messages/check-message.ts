// What is refused when a message is posted rather than device by device: a payload that no provider takes, and, under a
// service's `strictOptions`, an option that no provider knows.
import { isKnownOption } from '../../push-contract/payload/push-options.js';
import { isTooLarge, languagesOf, MOST_BYTES, renderVariant } from '../../push-contract/payload/render.js';
import { DEVICE_TYPES } from '../../push-contract/statuses.js';
import { badRequest } from '../gateway/push-error.js';
import type { Message, MessageRequest } from './message-request.js';

/** A message of so few bytes surely fits: what a payload adds to it, `aps` and push type, is less than the rest. */
const SURELY_SMALL_BYTES = 3_500;

/** push-decisions.md, "option". Throws badRequest naming the first unknown member. */
export function checkOptions(message: Message): void {
  const devicesOf = { default: DEVICE_TYPES, gcm: ['GCM'], apns: ['APNS'] } as const;
  for (const type of ['default', 'gcm', 'apns'] as const) {
    for (const name of Object.keys(message[type]?.option ?? {})) {
      if (!devicesOf[type].some((device) => isKnownOption(name, device)))
        throw badRequest(`message.${type}.option.${name}: is no option of this push type`);
    }
  }
}

/** push-decisions.md, "Providers". Throws badRequest naming the first push type and language for which it is too large. */
export function checkSize({ message, target }: Pick<MessageRequest, 'message' | 'target'>): void {
  if (Buffer.byteLength(JSON.stringify(message)) <= SURELY_SMALL_BYTES) return;
  const types = target.deviceType === undefined ? DEVICE_TYPES : [target.deviceType];
  for (const type of types) {
    for (const language of languagesOf(message, type)) {
      if (!isTooLarge(renderVariant(message, type, language))) continue;
      const name = type === 'GCM' ? 'keys and values for FCM' : 'the payload for APNs';
      const which = language === '' ? '' : ` in ${language}`;
      throw badRequest(`message: ${name}${which} must have at most ${MOST_BYTES} bytes`);
    }
  }
}
