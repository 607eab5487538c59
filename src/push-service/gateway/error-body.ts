// push-interface.md §7: the two shapes of an error body, and the platform's responseError form for XML callers. Pure.
import { PUSH_ERRORS, RESPONSE_ERROR_CODES, type PushErrorBody } from '../../push-contract/errors.js';
import type { PushError } from './push-error.js';

export interface ErrorAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const XML_TYPE = /^application\/xml\s*(?:;|$)/i;
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

export function errorAnswer(error: PushError, xml: boolean): ErrorAnswer {
  const { status, errorCode, message } = PUSH_ERRORS[error.kind];
  const text = error.detail ?? message;
  if (!xml) {
    const body: PushErrorBody = { error: { errorCode, message: text } };
    return { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(body) };
  }
  const contentType = 'application/xml; charset=utf-8';
  if (error.extras.missingField === true) {
    const { missingField } = RESPONSE_ERROR_CODES;
    return {
      status,
      contentType,
      body: xmlDocument('responseError', ['returnCode', missingField], ['returnMessage', text]),
    };
  }
  const inner = element('errorCode', escapeXml(errorCode)) + element('message', escapeXml(text));
  return { status, contentType, body: declaration + element('Message', element('error', inner)) };
}

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';

function xmlDocument(root: string, ...members: readonly (readonly [name: string, text: string])[]): string {
  return declaration + element(root, members.map(([name, text]) => element(name, escapeXml(text))).join(''));
}

function element(name: string, inner: string): string {
  return `<${name}>${inner}</${name}>`;
}

/** Characters XML 1.0 cannot hold at all become U+FFFD. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replaceAll(/[&<>"']/g, (character) => XML_ESCAPES[character] ?? character);
}
