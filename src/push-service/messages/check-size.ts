// What no provider takes is refused when it is posted, not device by device (push-decisions.md, "Providers").
import { DEVICE_TYPES } from '../../push-contract/statuses.js';
import { isTooLarge, languagesOf, MOST_BYTES, renderVariant } from '../../push-contract/payload/render.js';
import { badRequest } from '../gateway/push-error.js';
import type { MessageRequest } from './message-request.js';

/** Of a message; what a payload adds to it, `aps` and push type, is less than the rest. */
const SURELY_SMALL_BYTES = 3_500;

/** Throws badRequest naming the first push type and language for which it is too large. */
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
