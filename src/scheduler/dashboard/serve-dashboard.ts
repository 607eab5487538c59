// Serves the dashboard on the scheduler's own origin. The files hold no data and need no token; what they show they ask of the API.
// Takes no path of the API: an unknown route there keeps its own answer.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomBytes } from 'node:crypto';
import { NONCE, type Asset, type BuiltDashboard } from './built-dashboard.js';

const NOT_BUILT = `The dashboard is not built here: run "npm run build", then start the scheduler again.

/docs            the HTTP API, readable
/health/ready    whether the scheduler is ready
`;

/** One year: another content has another name. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Paths that are never the address of a page. */
const NOT_PAGES = /^\/(?:v1|health|docs|schemas|metrics|assets)(?:\/|$)|\.json$/;

/** `read` is called once, by the first request for a page or a file. */
export function serveDashboard(fastify: FastifyInstance, read: () => BuiltDashboard | undefined): void {
  let found: { readonly built: BuiltDashboard | undefined } | undefined;
  const built = () => (found ??= { built: read() }).built;
  fastify.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const path = request.url.split('?')[0] ?? '';
    if (path.startsWith('/assets/')) {
      const asset = built()?.assets.get(path);
      return asset === undefined ? undefined : sendAsset(asset, request, reply);
    }
    if (!isPage(path, request)) return undefined;
    const page = built()?.page;
    if (page !== undefined) return sendPage(page, reply);
    if (path !== '/') return undefined;
    return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT);
  });
}

/** The address of a page is whatever no route answers, if a browser asks. `/` is a route: programs are led to the documents by it. */
function isPage(path: string, request: FastifyRequest): boolean {
  if (NOT_PAGES.test(path) || !(path === '/' || request.is404)) return false;
  return /\btext\/html\b/i.test(request.headers.accept ?? '');
}

function sendAsset({ type, plain, packed }: Asset, request: FastifyRequest, reply: FastifyReply) {
  const taken = request.headers['accept-encoding'] ?? '';
  const [packing, bytes] = packed.find(([name]) => takes(taken, name)) ?? [];
  void reply
    .type(type)
    .header('cache-control', FOR_EVER)
    .header('vary', 'accept-encoding')
    .header('x-content-type-options', 'nosniff');
  if (packing !== undefined) void reply.header('content-encoding', packing);
  return reply.send(bytes ?? plain);
}

/** Whether a list such as `gzip, br;q=0.5` names it, and not with the weight 0. */
function takes(accepted: string, packing: string): boolean {
  return accepted.split(',').some((part) => {
    const [name, weight] = part.split(';').map((word) => word.trim().toLowerCase());
    return name === packing && !/^q=0(?:\.0+)?$/.test(weight ?? '');
  });
}

function sendPage(page: string, reply: FastifyReply) {
  const nonce = randomBytes(16).toString('base64url');
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policyWith(nonce))
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('vary', 'accept')
    .send(page.replaceAll(NONCE, nonce));
}

/** The components set styles in elements of their own, which carry the nonce. Nothing else is inline, and nothing is of a stranger. */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
