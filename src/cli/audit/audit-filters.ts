// The options that name rows of the audit log.
import { OF_SERVICE, SINCE_UNTIL, type Filter } from '../shell/filters.js';

export const AUDIT_FILTERS: readonly Filter[] = [
  OF_SERVICE,
  { flags: '--who <who>', text: 'by token:name (id), or without the id', parameter: 'who' },
  { flags: '--action <action>', text: 'such as send.retry or project.stop', parameter: 'action' },
  { flags: '--target <id>', text: 'done to this', parameter: 'target' },
  ...SINCE_UNTIL,
];
