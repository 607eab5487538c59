// FCM and APNs at their barest, so that no client waits for them: every request is answered with 200 at once, none is
// looked at. A process of its own; says where it is, and the authority of its certificate.
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { makeCertificate } from '../../tools/peers/certificate.js';

const STREAMS = 1_000;

const { key, cert } = makeCertificate();
const server = createSecureServer({ key, cert, settings: { maxConcurrentStreams: STREAMS } });
server.on('session', (session) => session.on('error', () => undefined));
server.on('stream', (stream, headers) => {
  stream.on('error', () => undefined);
  stream.resume();
  if (headers[':path'] === '/token') {
    stream.respond({ ':status': 200 });
    stream.end(JSON.stringify({ access_token: 'bench', expires_in: 3_599, token_type: 'Bearer' }));
  } else stream.respond({ ':status': 200 }, { endStream: true });
});
server.listen(0, '127.0.0.1', () => {
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.stdout.write(`${JSON.stringify({ url, ca: cert })}\n`);
});
