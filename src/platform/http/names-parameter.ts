// A query member that names items of a closed list, separated by commas: `state=failed,stale`. Pure.
import { z } from 'zod';

/** Characters that are shown of a refused word. */
const SHOWN = 40;

/** In the order given. A word that is not in `names` is refused: to ignore it would read as "there are none". */
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
