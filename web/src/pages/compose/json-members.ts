// The form and the text are one document: a field reads its member from the text and writes it back into the text, and every member that no field
// shows stays as it was typed. Pure.
import { applyEdits, modify, parse, type JSONPath } from 'jsonc-parser';

export type Data = Readonly<Record<string, unknown>>;

/** undefined: it is no JSON object yet. */
export function dataOf(json: string): Data | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Data) : undefined;
  } catch {
    return undefined;
  }
}

export function memberIn(json: string, path: readonly string[]): unknown {
  let value = parse(json) as unknown;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Data)[name];
  }
  return value;
}

export const textMember = (json: string, path: readonly string[]): string => {
  const value = memberIn(json, path);
  return typeof value === 'string' ? value : '';
};

/** undefined removes the member. */
export function withMember(json: string, path: readonly string[], value: unknown): string {
  const formattingOptions = { tabSize: 2, insertSpaces: true };
  return applyEdits(json, modify(json, path as JSONPath, value, { formattingOptions }));
}

/** Members that only the text shows. */
export function otherMembers(data: Data, shown: readonly string[], path = ''): readonly string[] {
  return Object.entries(data).flatMap(([name, value]) => {
    const own = path === '' ? name : `${path}.${name}`;
    if (shown.includes(own)) return [];
    const holds = shown.some((one) => one.startsWith(`${own}.`));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return holds && isObject ? otherMembers(value as Data, shown, own) : [own];
  });
}
