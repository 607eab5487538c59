// The files of examples/ are templates: the demo replaces their placeholders by current values.

/**
 * Names the placeholders in a refused event; undefined where it has none. In an event that is taken, such text is the publisher's
 * own.
 */
export function placeholderHint(refused: unknown): string | undefined {
  const found = [...new Set(JSON.stringify(refused)?.match(/\{\{[^{}]+\}\}/g))];
  if (found.length === 0) return undefined;
  const stand = found.length === 1 ? 'stands' : 'stand';
  return `${found.join(', ')} ${stand} for what the demo fills in: put a value there first`;
}
