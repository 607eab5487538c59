// Every column of this service that is sealed at rest. Once the master key is replaced, the loop reseal seals them anew, and
// health counts what is left.
import type { SealedColumn } from '../platform/secrets/sealed.js';
import { CREDENTIAL_SECRET } from './credentials/credential.store.js';
import { SECRET } from './gateway/access.store.js';

export const SEALED: readonly SealedColumn[] = [SECRET, CREDENTIAL_SECRET];
