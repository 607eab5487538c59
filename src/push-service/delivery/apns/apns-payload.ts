// The request of APNs over HTTP/2 (`POST /3/device/<token>`): its headers and body. Pure; the token is in the path, so
// all devices of one language share both.
import type { DeviceContent } from '../content.js';

const HEADER_OPTIONS = ['apns-priority', 'apns-expiration', 'apns-collapse-id'] as const;
const APS_OPTIONS = [
  'sound',
  'badge',
  'content-available',
  'mutable-content',
  'thread-id',
  'category',
] as const;

/** The members of `option` that are placed in the request; others are ignored. */
export const APNS_OPTIONS = [...HEADER_OPTIONS, ...APS_OPTIONS] as const;

export interface ApnsRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export function apnsRequest({ content, custom, option }: DeviceContent): ApnsRequest {
  const given = (name: string): boolean => option[name] !== undefined && option[name] !== null;
  const aps = {
    // Empty content makes no alert.
    ...(content === '' ? {} : { alert: content }),
    ...Object.fromEntries(APS_OPTIONS.filter(given).map((name) => [name, option[name]])),
  };
  const visible = content !== '' || given('sound') || given('badge');
  const headers: Record<string, string> = { 'apns-push-type': visible ? 'alert' : 'background' };
  for (const name of HEADER_OPTIONS) {
    const value = headerText(option[name]);
    if (value !== undefined) headers[name] = value;
  }
  // APNs refuses a background push of priority 10, its default.
  if (!visible && headers['apns-priority'] !== '1') headers['apns-priority'] = '5';
  return {
    headers,
    // Not specified (push-interface.md §2.4): a custom key named aps would take the place of ours; ours stays.
    body: { ...custom, aps },
  };
}

/** Not specified (push-interface.md §2.4): what no header can hold is ignored, as an unknown option is; undefined stands for it. */
function headerText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && /^[\u0021-\u007e]+$/.test(value) ? value : undefined;
}
