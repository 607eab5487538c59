// A member of a query that names some of a closed list, with commas: `state=failed,stale`. Pure.
import { z } from 'zod';

/** What is shown of a word that is refused. */
const SHOWN = 40;

/** In the order given. A word that is none of `names` is refused: an empty list would read as "there are none". */
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
