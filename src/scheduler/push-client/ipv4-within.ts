// Finds the IPv4 addresses that an IPv6 address contains, in the notations and tunnels that RFCs define. Pure.
import ipaddr from 'ipaddr.js';

interface Ipv4Within {
  /** The IPv4 addresses that it leads to, where its prefix is routed as that prefix's RFC says. */
  readonly reached: readonly string[];
  /** Its last 32 bits as an IPv4 address, whatever the prefix. */
  readonly last: string;
}

type Form = readonly [
  prefix: readonly number[],
  addresses: (bytes: readonly number[]) => readonly number[][],
];

const from = (bytes: readonly number[], start: number): number[] => bytes.slice(start, start + 4);
const last = (bytes: readonly number[]): number[] => from(bytes, 12);

/** Each form with the bytes with which it begins. */
const FORMS: readonly Form[] = [
  // RFC 4291 §2.5.5: IPv4-compatible, and IPv4-mapped; RFC 7915 and RFC 2765 §2.1: IPv4-translated.
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], (bytes) => [last(bytes)]],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], (bytes) => [last(bytes)]],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], (bytes) => [last(bytes)]],
  // RFC 6052 §2.1: the well-known prefix of NAT64.
  [[0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], (bytes) => [last(bytes)]],
  // RFC 8215: NAT64 within one network, under a prefix of 48, 56, 64 or 96 bits. RFC 6052 §2.2: byte 8 is left out.
  [
    [0, 0x64, 0xff, 0x9b, 0, 1],
    (bytes) => [...[6, 7, 8].map((at) => from(bytes.toSpliced(8, 1), at)), last(bytes)],
  ],
  // RFC 3056 §2: 6to4.
  [[0x20, 0x02], (bytes) => [from(bytes, 2)]],
  // RFC 4380 §4: Teredo; its server, and its client with every bit inverted.
  [[0x20, 0x01, 0, 0], (bytes) => [from(bytes, 4), last(bytes).map((byte) => byte ^ 0xff)]],
];

/** RFC 5214 §6.1: ISATAP, under any prefix. */
const ISATAP = /^0[02]005efe$/;

/** `address` is an IPv6 address without a zone. */
export function ipv4Within(address: string): Ipv4Within {
  const bytes = ipaddr.parse(address).toByteArray();
  const reached = FORMS.flatMap(([prefix, addresses]) =>
    prefix.every((byte, at) => bytes[at] === byte) ? addresses(bytes) : [],
  );
  if (ISATAP.test(Buffer.from(from(bytes, 8)).toString('hex'))) reached.push(last(bytes));
  return { reached: reached.map((one) => one.join('.')), last: last(bytes).join('.') };
}
