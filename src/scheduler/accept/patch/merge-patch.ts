// JSON Merge Patch (RFC 7396 §2). Pure. Own, because it is shorter than the check of a library's handling of `__proto__`: a patch that
// names such a member is refused before (parse/read-json.ts).
import { isObject } from '../parse/read-json.js';

/** A member that is null in the patch goes; an object is merged member by member; anything else takes the place of what was there. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}
