// A query member that names items of a closed list, separated by commas: `state=failed,stale`. Pure.
import { z } from 'zod';

/** How many characters of a refused word are shown. */
const SHOWN = 40;

/**
 * Returns the names in the order given. Refuses a word that is not in `names`: if it were ignored, the answer would look like
 * "there are none".
 */
export const anyOf = <const Name extends string>(names: readonly Name[]) =>
  z
    .string()
    .transform((text, context) => {
      const isName = (word: string): word is Name => (names as readonly string[]).includes(word);
      const given = text.split(',');
      const unknown = given.find((word) => !isName(word));
      if (unknown !== undefined) {
        const message = `"${unknown.slice(0, SHOWN)}" is none of ${names.join(', ')}`;
        context.addIssue({ code: 'custom', message });
      }
      return given.filter(isName);
    })
    .describe(`Any of ${names.join(', ')}, with commas`);
