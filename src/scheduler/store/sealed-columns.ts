// Every sealed column of the scheduler: these are sealed anew when the master key is replaced.
import type { SealedColumn } from '../../platform/secrets/sealed.js';
import { API_KEY, SECRET } from './project.store.js';

export const WEBHOOK_SECRET: SealedColumn = { table: 'webhook', column: 'secret_sealed', key: ['id'] };
export const SEALED: readonly SealedColumn[] = [SECRET, API_KEY, WEBHOOK_SECRET];
