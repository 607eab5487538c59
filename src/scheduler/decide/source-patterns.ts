// Matches an event's `source` with the patterns of a project or a token: exact, or `prefix/*` (campaign-events.md,
// "Transport and envelope"). Pure.

export function isNamed(source: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('/*') ? source.startsWith(pattern.slice(0, -1)) : source === pattern,
  );
}
