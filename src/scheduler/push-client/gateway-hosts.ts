// Which addresses a push gateway may have: those that the operator's CARILLON_GATEWAY_HOSTS names, and none by which a machine
// or its cloud talks to itself. Pure; undici-connect.ts asks about each address it connects to.
import { BlockList, isIP } from 'node:net';

/** The error of a call that was not made because of its address. */
export const ADDRESS_REFUSED = 'ADDRESS_REFUSED';
export const REFUSED_ADDRESS_TEXT =
  'its baseUrl leads to a link-local or metadata address, or is not among CARILLON_GATEWAY_HOSTS';

/** Link-local addresses, where clouds keep their metadata, and metadata addresses elsewhere. */
const REFUSED = new BlockList();
REFUSED.addSubnet('169.254.0.0', 16, 'ipv4');
REFUSED.addSubnet('fe80::', 10, 'ipv6');
// Services of AWS for its own machines, some of which hand out credentials.
REFUSED.addSubnet('fd00:ec2::', 32, 'ipv6');
REFUSED.addAddress('fd20:ce::254', 'ipv6');
// The same through NAT64 (RFC 6052 §2.1); the list itself knows those written as ::ffff:169.254.….
REFUSED.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
for (const address of ['100.100.100.200', '168.63.129.16', '192.0.0.192']) {
  REFUSED.addAddress(address, 'ipv4');
  REFUSED.addAddress(`64:ff9b::${address}`, 'ipv6');
}

/** `address` is an IP address. */
export function isRefusedAddress(address: string): boolean {
  const [plain = ''] = address.split('%');
  return REFUSED.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/** A host name or IP address; `*.` before a name stands for every name below it. */
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
