// The request of APNs over HTTP/2 (`POST /3/device/<token>`): its headers and body. Pure; the token is in the path, so
// all devices of one language share both.
import type { DeviceContent } from './content.js';
import { APNS_HEADERS, APS_MEMBERS, fitsHeader, partsOf } from './push-options.js';

export interface ApnsRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export function apnsRequest({ content, custom, option }: DeviceContent): ApnsRequest {
  const given = (name: string): boolean => option[name] !== undefined && option[name] !== null;
  const parts = partsOf(option, 'apns');
  const title = Object.assign({}, ...parts.map((part) => part.alert)) as Readonly<Record<string, unknown>>;
  const hasTitle = Object.keys(title).length > 0;
  const alert = hasTitle ? { ...title, ...(content !== '' && { body: content }) } : content;
  const aps = {
    // Empty content makes no alert.
    ...(alert === '' ? {} : { alert }),
    ...(Object.assign({}, ...parts.map((part) => part.aps)) as object),
    ...Object.fromEntries(APS_MEMBERS.filter(given).map((name) => [name, option[name]])),
  };
  const visible = alert !== '' || given('sound') || given('badge');
  const headers: Record<string, string> = { 'apns-push-type': visible ? 'alert' : 'background' };
  const mapped = Object.assign({}, ...parts.map((part) => part.headers)) as Readonly<Record<string, unknown>>;
  for (const name of APNS_HEADERS) {
    const value = headerText(option[name] ?? mapped[name]);
    if (value !== undefined) headers[name] = value;
  }
  // APNs refuses a background push of priority 10, its default.
  if (!visible && headers['apns-priority'] !== '1') headers['apns-priority'] = '5';
  const added = Object.assign({}, ...parts.map((part) => part.custom)) as object;
  return {
    headers,
    // Not specified (push-interface.md §2.4): a custom key named aps would take the place of ours; ours stays.
    body: { ...added, ...custom, aps },
  };
}

/** Not specified (push-interface.md §2.4): what no header can hold is ignored, as an unknown option is; undefined stands for it. */
function headerText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return fitsHeader(value) ? value : undefined;
}
