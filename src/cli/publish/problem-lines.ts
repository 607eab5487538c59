// Reasons and warnings, each on a line of its own below what they are about.

export function problemLines(
  problems:
    readonly { readonly pointer: string; readonly code: string; readonly text: string }[] | null | undefined,
  kind = '',
): string {
  return (problems ?? [])
    .map(({ pointer, code, text }) => `\n  - ${kind}${pointer === '' ? '' : `${pointer} `}${text} (${code})`)
    .join('');
}
