// Finds what some devices will not get as it was written: a payload that is too large in one language, a value that a provider
// refuses. The warnings of plans and of POST messages come from it. Pure.
import type { CommonMessage } from '../messages.js';
import type { DeviceType } from '../statuses.js';
import { contentFor } from './content.js';
import type { RefusedValue } from './refused-values.js';
import { isTooLarge, isTooLargeBesideText, languagesOf, renderVariant } from './render.js';

/** What the devices of one type and language get. */
interface ExaminedVariant {
  /** Empty: a language for which the message has no text. */
  readonly language: string;
  readonly text: string;
  readonly isTooLarge: boolean;
}

interface ExaminedMessage {
  /** At most ten. */
  readonly refused: readonly RefusedValue[];
  /** They are rendered as they are read, each text once. */
  readonly variants: Iterable<ExaminedVariant>;
}

/** The most values that are listed. A publisher seldom makes a different mistake in each of a hundred members. */
const MOST_REFUSED = 10;

export function examineMessage(message: CommonMessage, type: DeviceType): ExaminedMessage {
  const refused: RefusedValue[] = [];
  const isInAll = isTooLargeBesideText(message, type, (value) => {
    if (refused.length < MOST_REFUSED) refused.push(value);
  });
  return { refused, variants: variantsOf(message, type, isInAll) };
}

function* variantsOf(message: CommonMessage, type: DeviceType, isInAll: boolean): Generator<ExaminedVariant> {
  const judged = new Map<string, boolean>();
  for (const language of languagesOf(message, type)) {
    // '' already stands for a device whose language has no text in the message.
    if (language === 'default') continue;
    const { content: text } = contentFor(message, type, language);
    const known = isInAll || judged.get(text);
    const isLarge = known ?? isTooLarge(renderVariant(message, type, language));
    judged.set(text, isLarge);
    yield { language, text, isTooLarge: isLarge };
  }
}
