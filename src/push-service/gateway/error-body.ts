// push-interface.md §7: the two shapes of an error body, and the platform's responseError form for XML callers. Pure.
import { PUSH_ERRORS, RESPONSE_ERROR_CODES, type PushErrorBody } from '../../push-contract/errors.js';
import type { PushError } from './push-error.js';

const XML_TYPE = /^application\/xml\s*(?:;|$)/i;
const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';
const XML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Whether the request's Content-Type asks for XML errors. */
export function asksForXml(contentType: string | undefined): boolean {
  return contentType !== undefined && XML_TYPE.test(contentType.trim());
}

export function errorBody({ kind, detail, extras }: PushError, asXml: boolean): string {
  const { errorCode, message } = PUSH_ERRORS[kind];
  const text = detail ?? message;
  if (!asXml) return JSON.stringify({ error: { errorCode, message: text } } satisfies PushErrorBody);
  const written = escapeXml(text);
  if (extras.missingField === true) {
    const { missingField } = RESPONSE_ERROR_CODES;
    const members = element('returnCode', missingField) + element('returnMessage', written);
    return XML_DECLARATION + element('responseError', members);
  }
  const members = element('errorCode', errorCode) + element('message', written);
  return XML_DECLARATION + element('Message', element('error', members));
}

function element(name: string, inner: string): string {
  return `<${name}>${inner}</${name}>`;
}

/** Characters that XML 1.0 cannot hold at all, lone surrogates among them, become U+FFFD. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replaceAll(/[&<>"']/g, (character) => XML_ESCAPES[character] ?? character);
}
