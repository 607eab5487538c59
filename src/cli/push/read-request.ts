// Reads the head of an HTTP request as people have it: as it was sent, or as curl -v shows it. Pure.
import { UsageError } from '../shell/usage-error.js';
import type { SignedRequest } from './sign-check.js';

/** Throws a UsageError for a text without a request line. */
export function readRequest(text: string): SignedRequest {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.replace(/^> ?/, ''))
    .filter((line) => line.trim() !== '' && !line.startsWith('* ') && !line.startsWith('<'));
  const [first = '', ...rest] = lines;
  const [method = '', target = ''] = first.trim().split(/\s+/);
  if (!/^[A-Za-z]+$/.test(method) || target === '')
    throw new UsageError(
      'it must begin with a request line, such as POST /push/v2/services/shop-app/messages',
    );
  const headers = rest.flatMap((line) => {
    const cut = line.indexOf(':');
    return cut < 1 ? [] : [[line.slice(0, cut).trim().toLowerCase(), line.slice(cut + 1).trim()] as const];
  });
  return { method, target, headers: new Map(headers) };
}
