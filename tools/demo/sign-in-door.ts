// One click from the terminal into the dashboard: a link on 127.0.0.1 that nobody can guess opens a session and leads on. The token stays in this
// process: it is in no address, and no page sees it. A cookie of 127.0.0.1 holds for all its ports.
import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SignInDoor {
  /** For as long as the door is open. */
  readonly link: string;
  close(): Promise<void>;
}

export async function openSignInDoor(dashboardUrl: string, token: string): Promise<SignInDoor> {
  const path = `/${randomBytes(16).toString('base64url')}`;
  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === path) {
      lead(response, dashboardUrl, token).catch(() => response.writeHead(502).end());
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    link: `http://127.0.0.1:${port}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function lead(response: ServerResponse, dashboardUrl: string, token: string): Promise<void> {
  const session = await fetch(new URL('/v1/session', dashboardUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const cookies = session.headers.getSetCookie();
  if (session.status !== 204) {
    response.writeHead(502).end(await session.text());
    return;
  }
  response
    .writeHead(303, { location: dashboardUrl, 'set-cookie': cookies, 'referrer-policy': 'no-referrer' })
    .end();
}
