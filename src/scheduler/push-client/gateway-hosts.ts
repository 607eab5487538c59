// Decides which addresses a push gateway may have: only hosts of the operator's CARILLON_GATEWAY_HOSTS, and never an address by which
// a machine reaches itself or its cloud's metadata. Pure; undici-connect.ts asks about each address before it connects.
import { BlockList, isIP } from 'node:net';
import { ipv4Within } from './ipv4-within.js';

/** The error of a call that was not made because of its address. */
export const ADDRESS_REFUSED = 'ADDRESS_REFUSED';
export const REFUSED_ADDRESS_TEXT =
  'its baseUrl leads to a link-local or metadata address, or is not among CARILLON_GATEWAY_HOSTS';

/** The addresses of machines' metadata and credentials in the clouds that we know. */
const METADATA = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
];

/** Link-local addresses, where most clouds have their metadata, and metadata addresses elsewhere. */
const REFUSED = new BlockList();
REFUSED.addSubnet('169.254.0.0', 16, 'ipv4');
for (const address of METADATA) REFUSED.addAddress(address, 'ipv4');
REFUSED.addSubnet('fe80::', 10, 'ipv6');
// Services of AWS for its own machines; some of them give credentials out.
REFUSED.addSubnet('fd00:ec2::', 32, 'ipv6');
REFUSED.addAddress('fd20:ce::254', 'ipv6');

/** `address` is an IP address. */
export function isRefusedAddress(address: string): boolean {
  const [plain = ''] = address.split('%');
  if (isIP(plain) !== 6) return REFUSED.check(plain, 'ipv4');
  const { reached, last } = ipv4Within(plain);
  return (
    REFUSED.check(plain, 'ipv6') ||
    reached.some((one) => REFUSED.check(one, 'ipv4')) ||
    // A network may translate under its own prefix (RFC 6052 §3.1), which this process cannot know.
    METADATA.includes(last)
  );
}

/** A host name or IP address; `*.` before a name means every name below it. */
export const HOST_PATTERN = /^((\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|[0-9a-f:]*:[0-9a-f:.]+)$/i;

export class GatewayHosts {
  /** undefined: every host, except refused addresses. */
  constructor(private readonly patterns?: readonly string[]) {}

  /** Why nothing may be sent to `hostname`, as `new URL()` writes it; undefined: it may. */
  refusal(hostname: string): string | undefined {
    const host = hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
    if (isIP(host) !== 0 && isRefusedAddress(host))
      return `${host} is a link-local or metadata address, where no push gateway may be`;
    if (this.patterns === undefined || this.patterns.some((pattern) => fits(host, pattern.toLowerCase())))
      return undefined;
    return `${host} is not among the hosts of CARILLON_GATEWAY_HOSTS`;
  }
}

function fits(host: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}
