// What is said when a message is posted rather than device by device: what providers refuse of it, and, under a service's
// `strictOptions`, that no provider knows an option.
import { examineMessage } from '../../push-contract/payload/examine-message.js';
import { isKnownOption } from '../../push-contract/payload/push-options.js';
import { MOST_BYTES } from '../../push-contract/payload/render.js';
import { DEVICE_TYPES, type DeviceType } from '../../push-contract/statuses.js';
import { badRequest } from '../gateway/push-error.js';
import type { Message, MessageRequest } from './message-request.js';

/** A message of so few bytes surely fits: what a payload adds to it, `aps` and push type, is less than the rest. */
const SURELY_SMALL_BYTES = 3_500;

/** Warnings of one answer: its header stays below what clients take. */
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
 * push-decisions.md, "What a provider refuses": warnings of what some devices will not get, as they stand in the answer's header.
 * Throws badRequest if it is too large for every device that it is for.
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

/** Whether it has anything beside texts. */
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

/** The warnings as one header: ASCII, other characters as in JSON. */
export function warningsHeader(warnings: readonly string[]): string {
  return warnings
    .join(' | ')
    .replaceAll(/[^\u0020-\u007e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
