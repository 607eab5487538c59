// Opens connections to push gateways. It checks the host name, and then each address that the name resolves to: a name may resolve to
// a refused address later.
import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { buildConnector } from 'undici';
import { ADDRESS_REFUSED, isRefusedAddress, type GatewayHosts } from './gateway-hosts.js';

type Resolve = (
  hostname: string,
  options: LookupOptions,
  found: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
) => void;

class AddressRefusedError extends Error {
  readonly code = ADDRESS_REFUSED;
}

/** `timeoutMs`: the limit on DNS, TCP and TLS together, real milliseconds. */
export function gatewayConnect(
  hosts: GatewayHosts,
  timeoutMs: number,
  resolve: Resolve = lookup,
): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, lookup: checked(resolve) });
  return (options, done) => {
    const refusal = hosts.refusal(options.hostname);
    if (refusal === undefined) connect(options, done);
    else done(new AddressRefusedError(refusal), null);
  };
}

/** A name is refused if any of its addresses is: no gateway has such a name. */
function checked(resolve: Resolve): Resolve {
  return (hostname, options, found) => {
    resolve(hostname, options, (error, address, family) => {
      const all = typeof address === 'string' ? [address] : (address ?? []).map((one) => one.address);
      const bad = error === null ? all.find(isRefusedAddress) : undefined;
      if (bad === undefined) found(error, address, family);
      else found(new AddressRefusedError(`${hostname} leads to ${bad}`), []);
    });
  };
}
