// What we read from the JSON of a service account: four members. The same checks run when it is set up and when it is used. Its
// addresses are not read: configuration decides where keys are sent, and an uploaded file never does.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { faultsOf, isPrivateKey, text } from '../over-http2/credential-format.js';
import { jsonOf } from '../over-http2/judged-answer.js';

const LEAST_BITS = 2_048;

const AS_GIVEN = 'as the key file of the service account has it (google-services.json is another file)';

/** Other members are dropped. */
export const ServiceAccountFile = z.object(
  {
    project_id: text(/^[a-z0-9.:-]{1,100}$/, `must be the id of the Firebase project, ${AS_GIVEN}`),
    client_email: text(/^[^\s@]{1,200}@[^\s@]{1,200}$/, `must be the account’s address, ${AS_GIVEN}`),
    private_key_id: text(/^[A-Za-z0-9_-]{1,100}$/, `must be the id of the key, ${AS_GIVEN}`),
    private_key: z
      .string({ error: `must be the private key, ${AS_GIVEN}` })
      .refine((pem) => isPrivateKey(pem, isLongRsa), {
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

/** Returns the account, or all its faults. */
export function parseServiceAccount(secret: string): ServiceAccount | string[] {
  const parsed = ServiceAccountFile.safeParse(jsonOf(secret));
  if (!parsed.success) return faultsOf(parsed.error);
  const { project_id: projectId, client_email: clientEmail, private_key_id: privateKeyId } = parsed.data;
  return { projectId, clientEmail, privateKeyId, privateKey: createPrivateKey(parsed.data.private_key) };
}

function isLongRsa({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_BITS;
}
