// Checks that run once when a message is posted, and not for each device: what providers refuse in it, and, where the service has
// `strictOptions`, options that no provider knows.
import { examineMessage } from '../../push-contract/payload/examine-message.js';
import { isKnownOption } from '../../push-contract/payload/push-options.js';
import { MOST_BYTES } from '../../push-contract/payload/render.js';
import { DEVICE_TYPES, type DeviceType } from '../../push-contract/statuses.js';
import { badRequest } from '../gateway/push-error.js';
import type { Message, MessageRequest } from './message-request.js';

/** A message of so few bytes certainly fits: what a payload adds, such as `aps` and the push type, takes less than the rest. */
const SURELY_SMALL_BYTES = 3_500;

/** The most warnings of one answer, so that clients accept the header. */
const MOST_WARNINGS = 10;

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

/**
 * push-decisions.md, "What a provider refuses": the warnings for the answer's header about what some devices will not get. Throws
 * badRequest if the message is too large for all its devices.
 */
export function warningsOf({ message, target }: Pick<MessageRequest, 'message' | 'target'>): string[] {
  const isSmall = Buffer.byteLength(JSON.stringify(message)) <= SURELY_SMALL_BYTES;
  if (isSmall && !hasMembers(message)) return [];
  const types = target.deviceType === undefined ? DEVICE_TYPES : [target.deviceType];
  const refused: string[] = [];
  const tooLarge: string[] = [];
  let isForSome = isSmall;
  for (const type of types) {
    const examined = examineMessage(message, type);
    refused.push(...examined.refused.map(({ text }) => `PROVIDER_REFUSES ${text}`));
    if (isSmall) continue;
    for (const variant of examined.variants) {
      if (variant.isTooLarge) tooLarge.push(tooLargeText(type, variant.language));
      else isForSome = true;
      if (isForSome && tooLarge.length >= MOST_WARNINGS) break;
    }
  }
  if (!isForSome) throw badRequest(`message: ${tooLarge[0]}`);
  const left = tooLarge.map((text) => `PAYLOAD_TOO_LARGE ${text}; those devices get nothing`);
  return [...new Set([...refused, ...left])].slice(0, MOST_WARNINGS);
}

/** Whether the message has anything beside texts. */
function hasMembers(message: Message): boolean {
  return (['default', 'gcm', 'apns'] as const).some(
    (type) => message[type]?.option !== undefined || message[type]?.custom !== undefined,
  );
}

function tooLargeText(type: DeviceType, language: string): string {
  const name = type === 'GCM' ? 'keys and values for FCM' : 'the payload for APNs';
  const which = language === '' ? '' : ` in ${language}`;
  return `${name}${which} must have at most ${MOST_BYTES} bytes`;
}

/** The warnings as one header, in ASCII. Other characters are escaped as in JSON. */
export function warningsHeader(warnings: readonly string[]): string {
  return warnings
    .join(' | ')
    .replaceAll(/[^\u0020-\u007e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
