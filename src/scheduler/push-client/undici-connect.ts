// How a connection to a push gateway is opened: the host is asked about as it is named, and each address its name leads
// to before anything is connected, so that a name which leads elsewhere by now leads nowhere.
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

/** `timeoutMs`: for DNS, TCP and TLS together. */
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

/** A name of several addresses is refused for one of them: none of them is a gateway's. */
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
