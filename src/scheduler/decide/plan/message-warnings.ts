// Warnings about the message itself (campaign-events.md, "option"), as the push service will render it: a payload or a value
// that a provider refuses, a device that shows no text, an option that is unknown or has a value of the wrong type. Pure; changes
// nothing that is sent.
import type { PlanWarning } from './plan-types.js';
import { examineMessage } from '../../../push-contract/payload/examine-message.js';
import {
  isKnownOption,
  misfitOf,
  OPTIONS_OF_PROVIDER,
  PUSH_OPTIONS,
} from '../../../push-contract/payload/push-options.js';
import { MOST_BYTES } from '../../../push-contract/payload/render.js';
import { DEVICE_TYPES, type DeviceType } from '../../../push-contract/statuses.js';
import { nearest } from '../nearest-name.js';
import { shown } from '../quote-value.js';
import type { Campaign } from './campaign.js';

/**
 * The most warnings of one kind, about options or about rendered payloads. A publisher's mistake is seldom a different one in each
 * of a hundred languages, and a payload near 1 MiB should not be rendered in each of them.
 */
const MOST_OF_A_KIND = 10;

export function messageWarnings({
  message,
  audience,
}: Pick<Campaign, 'message' | 'audience'>): PlanWarning[] {
  const deviceType = audience?.deviceType ?? null;
  const types = deviceType === null ? DEVICE_TYPES : [deviceType];
  const options = [
    ...optionWarnings('default', message.default, DEVICE_TYPES, types),
    ...optionWarnings('gcm', message.gcm, ['GCM'], types),
    ...optionWarnings('apns', message.apns, ['APNS'], types),
  ];
  return [...options.slice(0, MOST_OF_A_KIND), ...payloadWarnings(message, types)];
}

function payloadWarnings(message: Campaign['message'], types: readonly DeviceType[]): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  for (const type of types) {
    const { refused, variants } = examineMessage(message, type);
    warnings.push(
      ...refused.map(({ text }) => ({ code: 'PROVIDER_REFUSES', text, pointer: '/message' }) as const),
    );
    for (const variant of variants) {
      if (warnings.length >= MOST_OF_A_KIND) return warnings.slice(0, MOST_OF_A_KIND);
      warnings.push(...variantWarnings(type, variant));
    }
  }
  return warnings;
}

function variantWarnings(
  type: DeviceType,
  { language, text: content, isTooLarge }: Readonly<{ language: string; text: string; isTooLarge: boolean }>,
): PlanWarning[] {
  const who = language === '' ? `a device of type ${type}` : `a device of type ${type} in ${language}`;
  const warnings: PlanWarning[] = [];
  if (content === '') {
    const text = `${who} has no text: it shows a title at most, or what the app makes of the push`;
    warnings.push({ code: 'EMPTY_TEXT', text, pointer: '/message' });
  }
  if (isTooLarge) {
    const provider = type === 'GCM' ? 'keys and values for FCM have' : 'the payload for APNs has';
    const text = `for ${who} ${provider} more than ${MOST_BYTES} bytes, so that it gets nothing, while all others get theirs: shorten the content, custom or option`;
    warnings.push({ code: 'PAYLOAD_TOO_LARGE', text, pointer: '/message' });
  }
  return warnings;
}

/** Warns of unknown members, and of values of a type that the member does not take: neither has the intended effect. */
function optionWarnings(
  name: 'default' | 'gcm' | 'apns',
  content: Campaign['message']['gcm'],
  types: readonly DeviceType[],
  asked: readonly DeviceType[],
): PlanWarning[] {
  return Object.entries(content?.option ?? {}).flatMap(([member, value]): PlanWarning[] => {
    const pointer = `/message/${name}/option/${member.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const known = types.filter((type) => isKnownOption(member, type));
    if (known.length === 0) {
      const names = [...Object.keys(PUSH_OPTIONS), ...types.flatMap((type) => OPTIONS_OF_PROVIDER[type])];
      const text = `${shown(member)} is no option of this push type, and does nothing${nearest(member, names)}; options are ${Object.keys(PUSH_OPTIONS).join(', ')}, and what a provider takes by its own name`;
      return [{ code: 'UNKNOWN_OPTION', text, pointer }];
    }
    const takes = known
      .filter((type) => asked.includes(type))
      .map((type) => misfitOf(member, value, type))
      .find((misfit) => misfit !== undefined);
    if (takes === undefined) return [];
    const text = `${shown(member)} takes ${takes}; ${shown(value)} does nothing, or not on every device`;
    return [{ code: 'WRONG_OPTION', text, pointer }];
  });
}
