// The files of examples/ are templates: the demo replaces their placeholders by current values.

/** Names the placeholders in what was refused, or undefined where it holds none: in an event that is taken they are its own. */
export function placeholderHint(refused: unknown): string | undefined {
  const found = [...new Set(JSON.stringify(refused)?.match(/\{\{[^{}]+\}\}/g))];
  if (found.length === 0) return undefined;
  const stand = found.length === 1 ? 'stands' : 'stand';
  return `${found.join(', ')} ${stand} for what the demo fills in: put a value there first`;
}
