// Faults on our side: why this process cannot call a project's push service although that may work, and what to do. Pure; such a
// fault says nothing about the gateway or the network.
import type { Project } from '../../store/project.store.js';

/** What to do about each fault; operators read it after the serviceId. */
const WHAT_TO_DO = {
  NO_KEY: 'the project has no key: add one',
  KEY_UNREADABLE:
    'its keys do not open: start with the CARILLON_MASTER_KEY they were sealed under, or give the project its key again',
  BASE_URL_INVALID: 'its baseUrl is no address: change it',
} as const;

type LocalFaultCode = keyof typeof WHAT_TO_DO;

export interface LocalFault {
  readonly code: LocalFaultCode;
  readonly text: string;
}

/** Whether other processes may not have the fault: they may have the master key that this one lacks. */
export function isOfThisProcess({ code }: LocalFault): boolean {
  return code === 'KEY_UNREADABLE';
}

/** undefined: the project can be called. */
export function localFaultOf(project: Project): LocalFault | undefined {
  if (project.keys.length === 0) {
    return localFault(project.keyFault === undefined ? 'NO_KEY' : 'KEY_UNREADABLE');
  }
  return URL.canParse(project.baseUrl) ? undefined : localFault('BASE_URL_INVALID');
}

/** The fault with this code, which is the error of a call that was not made; undefined for any other error. */
export function localFaultNamed(error: string): LocalFault | undefined {
  return Object.hasOwn(WHAT_TO_DO, error) ? localFault(error as LocalFaultCode) : undefined;
}

function localFault(code: LocalFaultCode): LocalFault {
  return { code, text: WHAT_TO_DO[code] };
}
