// push-interface.md §5, push-decisions.md, "What is signed": the forms of one request target that a client may have signed.
// Pure. The route always comes from the raw target, never from these forms.

/** A decoded character that would change the meaning of the path. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CHANGES_THE_PATH = /[/?#%\u0000-\u001f\u007f]/;

/**
 * Three further forms: the target followed by `?` when it has no query, the target with its path percent-decoded once, and its
 * normal form. There are always three, so that every refusal takes the same time. The raw target replaces a form that is not
 * allowed.
 */
export function otherTargets(rawTarget: string): readonly [string, string, string] {
  const queryAt = rawTarget.indexOf('?');
  const path = queryAt === -1 ? rawTarget : rawTarget.slice(0, queryAt);
  const query = queryAt === -1 ? '' : rawTarget.slice(queryAt);
  return [
    queryAt === -1 ? `${rawTarget}?` : rawTarget,
    (decodeOnce(path) ?? path) + query,
    normalForm(rawTarget),
  ];
}

const UNRESERVED = /[A-Za-z0-9._~-]/;

/**
 * RFC 3986 §6.2.2.1 and §6.2.2.2: escapes in upper case, and no escape where none is needed. Both forms name the same resource.
 * Segments of dots stay, unlike in RFC 3986 §6.2.2.3: without them the target would name another resource.
 */
function normalForm(target: string): string {
  return target.replaceAll(/%[0-9A-Fa-f]{2}/g, (escape) => {
    const character = String.fromCodePoint(Number.parseInt(escape.slice(1), 16));
    return UNRESERVED.test(character) ? character : escape.toUpperCase();
  });
}

/** Undefined when an escape is malformed, is not UTF-8, or decodes to `/ ? # %` or a control character. */
function decodeOnce(path: string): string | undefined {
  if (!path.includes('%')) return path;
  let allowed = true;
  try {
    const decoded = path.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => {
      const text = decodeURIComponent(escapes);
      allowed &&= !CHANGES_THE_PATH.test(text);
      return text;
    });
    // A % that starts no escape is malformed.
    return allowed && !decoded.includes('%') ? decoded : undefined;
  } catch {
    return undefined;
  }
}
