// Decodes bytes that others wrote. Pure.

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Without a byte order mark; undefined where the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Why we do not take bytes that are not UTF-8, and what to do. */
export function notUtf8Text(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const guess = isUtf16 ? 'it is UTF-16' : 'it may be CP949, or another encoding of Windows';
  return `is not UTF-8 (${guess}): save it as UTF-8`;
}
