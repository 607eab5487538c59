// Addresses that no push gateway may have, in every notation.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { collectAnswer } from './collect-answer.js';
import { GatewayHosts } from './gateway-hosts.js';
import { gatewayConnect } from './undici-connect.js';

const hostOf = (baseUrl: string): string => new URL(baseUrl).hostname;

describe('GatewayHosts', () => {
  it.each([
    'http://169.254.169.254',
    'http://2852039166',
    'http://0xa9fea9fe/latest',
    'http://169.254.169.254.',
    'http://[fe80::1]',
    'http://[febf::1]',
    'http://[::ffff:169.254.169.254]',
    'http://[64:ff9b::169.254.169.254]',
    'http://[64:ff9b::100.100.100.200]',
    'http://[64:ff9b::169.254.170.2]',
    // NAT64 within one network, under prefixes of 48, 56, 64 and 96 bits.
    'http://[64:ff9b:1:a9fe:a9:fe00::]',
    'http://[64:ff9b:1:77a9:fe:a9fe::]',
    'http://[64:ff9b:1:7777:a9:fea9:fe00::]',
    'http://[64:ff9b:1:7777:7777:7777:169.254.169.254]',
    'http://[64:ff9b:1:6464:64:c800::]',
    // 6to4, Teredo, ISATAP, IPv4-compatible and -translated addresses.
    'http://[2002:a9fe:a9fe::1]',
    'http://[2002:6464:64c8::]',
    'http://[2001:0:a9fe:a9fe::1]',
    'http://[2001:0:102:304:0:0:5601:5601]',
    'http://[2001:db8::200:5efe:a9fe:a9fe]',
    'http://[2001:db8::5efe:169.254.1.1]',
    'http://[::169.254.169.254]',
    'http://[::ffff:0:169.254.169.254]',
    // A network's own prefix of NAT64.
    'http://[2001:db8:64::169.254.169.254]',
    'http://[fd00:64::168.63.129.16]',
    'http://[fd00:ec2::254]',
    'http://[fd00:ec2::23]',
    'http://[fd20:ce::254]',
    'http://100.100.100.200',
    'http://168.63.129.16',
  ])('refuses %s', (baseUrl) => {
    expect(new GatewayHosts().refusal(hostOf(baseUrl))).toContain('link-local or metadata');
    // CARILLON_GATEWAY_HOSTS does not allow it either.
    expect(
      new GatewayHosts([hostOf(baseUrl).replace(/^\[|\]$/g, '')]).refusal(hostOf(baseUrl)),
    ).toBeDefined();
  });

  it.each([
    'http://127.0.0.1:3200',
    'http://[::1]',
    'https://push.example.com',
    'http://10.0.0.7',
    'http://[fec0::1]',
    'http://[64:ff9b::203.0.113.7]',
    'http://[64:ff9b:1:cb00:71:700::]',
    'http://[2002:cb00:7107::1]',
    'http://[2001:db8::a9fe:1]',
  ])('takes %s', (baseUrl) => {
    expect(new GatewayHosts().refusal(hostOf(baseUrl))).toBeUndefined();
  });

  it('takes only hosts of its list', () => {
    const hosts = new GatewayHosts(['push.example.com', '*.Push.test', '::1']);
    const taken = ['push.example.com', 'PUSH.example.com.', 'a.push.test', 'a.b.push.test', '[::1]'];
    const refused = ['example.com', 'x.push.example.com', 'push.test', 'evilpush.test', '127.0.0.1'];
    expect(taken.map((host) => hosts.refusal(host))).toEqual(taken.map(() => undefined));
    for (const host of refused) expect(hosts.refusal(host)).toContain('CARILLON_GATEWAY_HOSTS');
  });
});

describe('gatewayConnect', () => {
  /** A call to http://gateway.test, a name that resolves to `addresses`. */
  async function call(addresses: readonly string[]) {
    const server = createServer((_, response) => response.end('here'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const connect = gatewayConnect(new GatewayHosts(), 1_000, (_, options, found) =>
      options.all === true ? found(null, all) : found(null, all[0]?.address ?? '', all[0]?.family),
    );
    const agent = new Agent({ connect });
    try {
      const { port } = server.address() as AddressInfo;
      const origin = `http://gateway.test:${port}`;
      return await collectAnswer(agent, { origin, path: '/', method: 'GET' }, 2_000);
    } finally {
      await agent.destroy();
      server.close();
    }
  }

  it('checks the addresses to which a name resolves', async () => {
    expect(await call(['127.0.0.1'])).toMatchObject({ kind: 'raw', body: 'here' });
    for (const addresses of [['169.254.169.254'], ['127.0.0.1', 'fe80::1']]) {
      const refused = { kind: 'unanswered', started: false, error: 'ADDRESS_REFUSED' };
      expect(await call(addresses)).toMatchObject(refused);
    }
  });
});
