// The yardstick: node:http2 with as many connections and streams as our adapter opens, the same headers and body, and
// nothing else: no window, no token that is renewed, no outcome.
import { connect, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import type { Kind } from './kinds.js';

export interface BareTarget {
  readonly url: string;
  readonly ca: string;
}

/** How many streams of a connection are open at once. */
export const STREAMS = 500;

/** Milliseconds for so many pushes, connections included. Rejects where one is not answered with 200. */
export async function bareLoop(kind: Kind, { url, ca }: BareTarget, pushes: number): Promise<number> {
  const begun = performance.now();
  const sessions = Array.from({ length: kind.connections }, () => connect(url, { ca }));
  try {
    let left = pushes;
    const worker = async (session: ClientHttp2Session): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await push(session, kind.headersOf(left), kind.bodyOf(left));
      }
    };
    await Promise.all(sessions.flatMap((session) => Array.from({ length: STREAMS }, () => worker(session))));
    return performance.now() - begun;
  } finally {
    for (const session of sessions) session.close();
  }
}

function push(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers);
    let status = 0;
    stream.on('response', (answer) => (status = Number(answer[':status'])));
    stream.on('error', reject);
    stream.on('close', () => (status === 200 ? resolve() : reject(new Error(`answered with ${status}`))));
    stream.resume();
    stream.end(body);
  });
}
