// The request to APNs over HTTP/2 (`POST /3/device/<token>`): its headers and its body. The token is in the path, so all devices
// of one language share both. Pure.
import type { DeviceContent } from './content.js';
import type { Members } from './members.js';
import { APNS_HEADERS, APS_MEMBERS, additionsOf, type ApnsAddition } from './push-options.js';
import { withoutRefused, type NoteRefused } from './refused-values.js';

export interface ApnsRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export function apnsRequest({ content, custom, option }: DeviceContent, note?: NoteRefused): ApnsRequest {
  const given = (name: string): boolean => option[name] !== undefined && option[name] !== null;
  const additions = additionsOf(option, 'apns');
  const allOf = (member: keyof ApnsAddition): Members =>
    Object.assign({}, ...additions.map((addition) => addition[member])) as Members;
  const title = allOf('alert');
  const hasTitle = Object.keys(title).length > 0;
  const alert = hasTitle ? { ...title, ...(content !== '' && { body: content }) } : content;
  const aps = {
    // Empty content makes no alert.
    ...(alert === '' ? {} : { alert }),
    ...allOf('aps'),
    ...Object.fromEntries(APS_MEMBERS.filter(given).map((name) => [name, option[name]])),
  };
  const visible = alert !== '' || given('sound') || given('badge');
  const mapped = allOf('headers');
  const asked = APNS_HEADERS.map((name) => [name, option[name] ?? mapped[name]] as const);
  const headers: Record<string, string> = {
    'apns-push-type': visible ? 'alert' : 'background',
    // Each rule for a header returns a text.
    ...(withoutRefused(
      Object.fromEntries(asked.filter(([, value]) => value !== undefined)),
      'APNs',
      note,
    ) as Record<string, string>),
  };
  // APNs refuses a background push of priority 10, its default.
  if (!visible && headers['apns-priority'] !== '1') headers['apns-priority'] = '5';
  // Not specified (push-interface.md §2.4): a custom key named aps would replace ours, so ours wins.
  return { headers, body: { ...allOf('custom'), ...custom, aps } };
}
