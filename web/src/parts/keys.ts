// Keys of a page act only where nobody types, and never with a modifier that belongs to the browser.
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target as HTMLElement | null;
  if (target === null) return false;
  if (document.querySelector('[role="dialog"]') !== null) return true;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
