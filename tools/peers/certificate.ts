// A self-signed certificate for 127.0.0.1, or for another name, made when a peer starts: no key lies in the repository, and none
// runs out. node:crypto makes keys and signatures but no certificates; these few fields of RFC 5280 §4.1 are written by hand,
// since the packages that do it bring some twenty others.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** PEM. */
  readonly key: string;
  /** PEM; its own authority, so a client trusts it by `ca`. */
  readonly cert: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const UTF8_STRING = 0x0c;
const GENERALIZED_TIME = 0x18;
const VERSION_TAG = 0xa0;
const EXTENSIONS_TAG = 0xa3;
/** GeneralName: dNSName and iPAddress (§4.2.1.6). */
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

/** Whole encodings of the object identifiers. */
const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex');

/** Valid for all times a test may pretend; the clock of the machine need not be right. */
const NOT_BEFORE = '20200101000000Z';
const NOT_AFTER = '20991231235959Z';

/** For `host` alone where it is given; it names no address then. */
export function makeCertificate(host?: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, ECDSA_WITH_SHA256);
  // Each peer has a name of its own: an authority is found by its name, and a client may trust several peers.
  const commonName = Buffer.from(`local peer ${randomBytes(8).toString('hex')}`);
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, commonName))));
  const names = der(
    SEQUENCE,
    der(DNS_NAME, Buffer.from(host ?? 'localhost')),
    ...(host === undefined ? [der(IP_ADDRESS, Buffer.from([127, 0, 0, 1]))] : []),
  );
  const toBeSigned = der(
    SEQUENCE,
    der(VERSION_TAG, der(INTEGER, Buffer.from([2]))),
    // Positive, and never begun by a zero.
    der(INTEGER, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    der(SEQUENCE, time(NOT_BEFORE), time(NOT_AFTER)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS_TAG, der(SEQUENCE, der(SEQUENCE, SUBJECT_ALT_NAME, der(OCTET_STRING, names)))),
  );
  const signature = der(BIT_STRING, Buffer.from([0]), sign('sha256', toBeSigned, privateKey));
  const cert = der(SEQUENCE, toBeSigned, algorithm, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${cert.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function time(text: string): Buffer {
  return der(GENERALIZED_TIME, Buffer.from(text));
}

/** Tag, length, value (X.690 §8.1): lengths below 128 in one byte, longer ones in two more. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const value = Buffer.concat(contents);
  const length =
    value.length < 0x80
      ? Buffer.from([value.length])
      : Buffer.from([0x82, value.length >> 8, value.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), length, value]);
}
