// Which `source` values of events a project or a token names: exact, or as `prefix/*` (campaign-events.md, "Transport and
// envelope"). Pure.

export function isNamed(source: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('/*') ? source.startsWith(pattern.slice(0, -1)) : source === pattern,
  );
}
