// What is known of standard output: how wide a line may be, and whether it takes colours.
import { styleText } from 'node:util';

export type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red';

export interface Terminal {
  /** Columns of a line; undefined: a pipe or a file, whose lines have no end. */
  readonly width: number | undefined;
  readonly paint: (style: Style, text: string) => string;
}

/** Colours only for a terminal that has them, and not where NO_COLOR is set (Node's own rules: FORCE_COLOR, TERM). */
export function terminal(output: NodeJS.WriteStream = process.stdout): Terminal {
  if (!output.isTTY) return { width: undefined, paint: (_, text) => text };
  const hasColors = output.hasColors();
  return {
    width: output.columns,
    // The check is done above; without it Node 22 asks the stream once more for each text.
    paint: (style, text) => (hasColors ? styleText(style, text, { validateStream: false }) : text),
  };
}
