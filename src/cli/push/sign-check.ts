// Says what is wrong with a signed request of the push interface: clock, key, path or signature (push-interface.md §5). Pure. It signs
// the request itself, as it was sent and as clients are known to get it wrong, and compares.
import { createHmac } from 'node:crypto';
import { AUTHENTICATION_HEADERS, HEADER_PREFIXES } from '../../push-contract/headers.js';
import { CLOCK_WINDOW_MS } from '../../push-contract/limits.js';
import { PATH_PREFIX } from '../../push-contract/paths.js';
import { stringToSign, type SignatureInput } from '../../push-contract/signature.js';

export interface SignedRequest {
  readonly method: string;
  /** As it stands in the request line. */
  readonly target: string;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

export interface SignFinding {
  readonly of: 'headers' | 'clock' | 'key' | 'path' | 'signature';
  readonly ok: boolean;
  readonly text: string;
}

interface Around {
  readonly secretKey: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

const LEAST_MS = 1e12;

/** Every finding; the first that is not ok is what to mend first. */
export function checkSigned(request: SignedRequest, { secretKey, now }: Around): readonly SignFinding[] {
  const prefix = HEADER_PREFIXES.find((one) => request.headers.has(one + AUTHENTICATION_HEADERS.signature));
  const header = (name: keyof typeof AUTHENTICATION_HEADERS): string =>
    request.headers.get((prefix ?? HEADER_PREFIXES[0]) + AUTHENTICATION_HEADERS[name]) ?? '';
  const [timestamp, accessKey, signature] = [header('timestamp'), header('accessKey'), header('signature')];
  const names = (['timestamp', 'accessKey', 'signature'] as const).filter((name) => header(name) === '');
  if (names.length > 0) {
    const lacking = names.map((name) => `${prefix ?? HEADER_PREFIXES[0]}${AUTHENTICATION_HEADERS[name]}`);
    return [
      no(
        'headers',
        `${lacking.join(', ')} ${lacking.length === 1 ? 'is' : 'are'} missing, or of the other prefix`,
      ),
    ];
  }
  const { method, target: rawTarget } = request;
  return [
    { of: 'headers', ok: true, text: `timestamp, access key and signature are there (${prefix}…)` },
    clockOf(timestamp, now),
    accessKey.trim() === accessKey
      ? { of: 'key', ok: true, text: `${accessKey} signs; whether it may, "carillon-push key list" says` }
      : no('key', 'there is a space around the access key'),
    pathOf(rawTarget),
    signatureOf({ method, rawTarget, timestamp, accessKey }, signature, secretKey),
  ];
}

const no = (of: SignFinding['of'], text: string): SignFinding => ({ of, ok: false, text });

function clockOf(timestamp: string, now: number): SignFinding {
  if (!/^\d+$/.test(timestamp)) return no('clock', `${timestamp} is no number of milliseconds since 1970`);
  const at = Number(timestamp);
  if (at < LEAST_MS) return no('clock', `${timestamp} looks like seconds: it takes milliseconds since 1970`);
  const off = Math.abs(at - now);
  const way = `${(off / 1_000).toFixed(1)} s ${at > now ? 'ahead' : 'behind'}`;
  if (off > CLOCK_WINDOW_MS)
    return no(
      'clock',
      `it is ${way}, of at most ${CLOCK_WINDOW_MS / 1_000}: set the clock by NTP, or the request is old`,
    );
  return { of: 'clock', ok: true, text: `it is ${way}, of at most ${CLOCK_WINDOW_MS / 1_000}` };
}

function pathOf(target: string): SignFinding {
  if (!target.startsWith('/'))
    return no('path', 'the target must begin with a slash, without scheme and host');
  if (!target.startsWith(`${PATH_PREFIX}/services/`))
    return no('path', `every path of the interface begins with ${PATH_PREFIX}/services/{serviceId}/`);
  return { of: 'path', ok: true, text: target };
}

/** What clients are known to sign in place of the request as it is sent. */
const SLIPS: readonly (readonly [says: string, slip: (input: SignatureInput) => SignatureInput])[] = [
  ['the path without its query', (input) => ({ ...input, rawTarget: input.rawTarget.split('?')[0] ?? '' })],
  ['the path decoded', (input) => ({ ...input, rawTarget: decoded(input.rawTarget) })],
  ['the path encoded once more', (input) => ({ ...input, rawTarget: encodeURI(input.rawTarget) })],
  [
    'the path without its last slash',
    (input) => ({ ...input, rawTarget: input.rawTarget.replace(/\/$/, '') }),
  ],
  ['the path with a slash at its end', (input) => ({ ...input, rawTarget: `${input.rawTarget}/` })],
  ['the method in lower case', (input) => ({ ...input, method: input.method.toLowerCase() })],
  ['the method GET', (input) => ({ ...input, method: 'GET' })],
  ['the method POST', (input) => ({ ...input, method: 'POST' })],
  ['the timestamp in seconds', (input) => ({ ...input, timestamp: input.timestamp.slice(0, -3) })],
];

function signatureOf(input: SignatureInput, given: string, secretKey: string): SignFinding {
  const signed = (text: string, as: 'base64' | 'hex' | 'base64url' = 'base64'): string =>
    createHmac('sha256', secretKey).update(text, 'utf8').digest(as);
  const right = stringToSign(input);
  if (given === signed(right)) return { of: 'signature', ok: true, text: 'it is right' };
  const found =
    given.toLowerCase() === signed(right, 'hex')
      ? 'it is written in hex: it takes Base64'
      : given === signed(right, 'base64url')
        ? 'it is written in Base64 for URLs: it takes plain Base64, with its padding'
        : given === signed(`${right}\n`)
          ? 'it signs a line end after the access key'
          : given === signed(right.replaceAll('\n', '\r\n'))
            ? 'it signs lines that end with CR LF: they end with LF'
            : slipOf(input, given, signed);
  return no('signature', found ?? 'it is made with another secret key, or over something else');
}

function slipOf(input: SignatureInput, given: string, signed: (text: string) => string): string | undefined {
  const slip = SLIPS.find(([, change]) => signed(stringToSign(change(input))) === given);
  return slip && `it signs ${slip[0]}: it has to sign the request as it is sent`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
