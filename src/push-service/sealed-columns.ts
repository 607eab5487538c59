// Every column of this service that is sealed at rest: the loop reseal seals it anew once the master key is replaced, and
// health counts what is left until then.
import type { SealedColumn } from '../platform/secrets/sealed.js';
import { CREDENTIAL_SECRET } from './credentials/credential.store.js';
import { SECRET } from './gateway/access.store.js';

export const SEALED: readonly SealedColumn[] = [SECRET, CREDENTIAL_SECRET];
