// The body of POST /v1/events as a whole: whether it can be read, and the elements of a batch, byte for byte. Pure.
import { decodeUtf8 } from '../../../platform/utf8.js';
import { elementsOf } from './read-json.js';

export type BodyElements =
  | { readonly kind: 'not-utf8' }
  | { readonly kind: 'not-json'; readonly why: string }
  /** Undefined: it is no array. */
  | { readonly kind: 'json'; readonly elements: readonly Uint8Array[] | undefined };

const encoder = new TextEncoder();

export function bodyElements(body: Uint8Array): BodyElements {
  const text = decodeUtf8(body);
  if (text === undefined) return { kind: 'not-utf8' };
  try {
    JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error && text.trim() !== '' ? error.message : 'it is empty';
    return { kind: 'not-json', why };
  }
  return { kind: 'json', elements: elementsOf(text)?.map((element) => encoder.encode(element)) };
}
