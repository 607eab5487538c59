// Why we cannot call a project's push service although it may work: a fault on our side, and what to do about it. Pure; says
// nothing about the gateway or the way to it.
import type { Project } from '../../store/project.store.js';

/** What to do about each fault, as operators read it after the serviceId. */
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

/** Whether the fault is this process's alone: the others may have the master key that it lacks. */
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

/** The fault for which a call was not made, by the call's error; undefined for any other error. */
export function localFaultNamed(error: string): LocalFault | undefined {
  return Object.hasOwn(WHAT_TO_DO, error) ? localFault(error as LocalFaultCode) : undefined;
}

function localFault(code: LocalFaultCode): LocalFault {
  return { code, text: WHAT_TO_DO[code] };
}
