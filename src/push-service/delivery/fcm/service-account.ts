// What is read of a service account's JSON: four members, and what each must be, to whoever sets one up and to whoever
// sends under it. Its addresses are not among them, since where we send keys to is configuration, and never said by what
// somebody has uploaded.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { jsonOf } from '../over-http2/verdict.js';

const LEAST_BITS = 2_048;

const text = (form: RegExp, error: string) => z.string({ error }).regex(form, { error });
const AS_GIVEN = 'as the key file of the service account has it (google-services.json is another file)';

/** Other members are left out. */
export const ServiceAccountFile = z.object(
  {
    project_id: text(/^[a-z0-9.:-]{1,100}$/, `must be the id of the Firebase project, ${AS_GIVEN}`),
    client_email: text(/^[^\s@]{1,200}@[^\s@]{1,200}$/, `must be the account’s address, ${AS_GIVEN}`),
    private_key_id: text(/^[A-Za-z0-9_-]{1,100}$/, `must be the id of the key, ${AS_GIVEN}`),
    private_key: z
      .string({ error: `must be the private key, ${AS_GIVEN}` })
      .refine((pem) => rsaKey(pem) !== undefined, {
        error: `must be the PEM of an RSA private key of at least ${LEAST_BITS} bits`,
      }),
  },
  { error: 'must be the JSON object of a service account’s key file, with its private key' },
);

export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKeyId: string;
  readonly privateKey: KeyObject;
}

/** The account, or all its faults, each beginning with the member's name; none quotes the key. */
export function parseServiceAccount(secret: string): ServiceAccount | string[] {
  const parsed = ServiceAccountFile.safeParse(jsonOf(secret));
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => [...path, message].join(' '));
  const { project_id: projectId, client_email: clientEmail, private_key_id: privateKeyId } = parsed.data;
  return { projectId, clientEmail, privateKeyId, privateKey: createPrivateKey(parsed.data.private_key) };
}

function rsaKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return key.asymmetricKeyType === 'rsa' && bits >= LEAST_BITS ? key : undefined;
  } catch {
    return undefined;
  }
}
