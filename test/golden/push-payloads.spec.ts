// What FCM v1 and APNs are handed, against golden files: from the request as a client sends it to the body and headers of
// one device. Held to what the providers' own pages say of their requests:
// https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages (Message, AndroidConfig, AndroidNotification),
// https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns and
// https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { DeviceType } from '../../src/push-contract/statuses.js';
import { OPTIONS_OF_PROVIDER, PUSH_OPTIONS } from '../../src/push-contract/payload/push-options.js';
import { renderPayload, renderVariant } from '../../src/push-contract/payload/render.js';
import { validate } from '../../src/push-service/gateway/validate.js';
import { MessageRequest } from '../../src/push-service/messages/message-request.js';

interface Golden {
  readonly says: string;
  readonly message: Record<string, { option?: Record<string, unknown> }>;
  readonly devices: readonly {
    readonly deviceType: DeviceType;
    readonly language: string;
    readonly token: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly payload: Record<string, unknown>;
  }[];
}

const folder = new URL('push-payloads/', import.meta.url);
const files = readdirSync(folder)
  .sort()
  .map((name) => ({ name, golden: JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Golden }));

describe.each(files)('$name', ({ golden }) => {
  it.each(golden.devices)(`${golden.says}: $deviceType $language`, (device) => {
    // The form a message is kept in, and read from by whoever sends it.
    const given = validate(MessageRequest, { target: { type: 'ALL' }, message: golden.message });
    const { message } = JSON.parse(JSON.stringify(given)) as MessageRequest;
    const variant = renderVariant(message, device.deviceType, device.language);
    expect(JSON.parse(renderPayload(variant, device.token))).toEqual(device.payload);
    expect(variant.headers).toEqual(device.headers);
    expect(variant.deviceType).toBe(device.deviceType);
  });
});

/** Of AndroidConfig and of AndroidNotification, as the FCM reference lists them. */
const ANDROID_CONFIG =
  'collapse_key priority ttl restricted_package_name data notification fcm_options direct_boot_ok bandwidth_constrained_ok restricted_satellite_ok';
const ANDROID_NOTIFICATION =
  'title body icon color sound tag click_action body_loc_key body_loc_args title_loc_key title_loc_args channel_id ticker sticky event_time local_only notification_priority default_sound default_vibrate_timings default_light_settings vibrate_timings visibility notification_count light_settings image bypass_proxy_notification proxy';

describe('the golden files', () => {
  const optionOf = (file: string, type: string): Record<string, unknown> =>
    files.find(({ name }) => name === file)?.golden.message[type]?.option ?? {};

  it('hold every option that is handed over', () => {
    expect(Object.keys(optionOf('fcm-every-option.json', 'gcm'))).toEqual(
      expect.arrayContaining([...OPTIONS_OF_PROVIDER.GCM]),
    );
    expect(Object.keys(optionOf('apns-every-option.json', 'apns'))).toEqual(
      expect.arrayContaining([...OPTIONS_OF_PROVIDER.APNS]),
    );
  });

  it('hold every option of the one table', () => {
    expect(Object.keys(optionOf('options-of-campaigns.json', 'default'))).toEqual(Object.keys(PUSH_OPTIONS));
  });

  it('hold every field of AndroidConfig and AndroidNotification', () => {
    const android = optionOf('fcm-every-option.json', 'gcm')['android'] as Record<string, object>;
    expect(Object.keys(android).toSorted()).toEqual(ANDROID_CONFIG.split(' ').toSorted());
    expect(Object.keys(android['notification'] ?? {}).toSorted()).toEqual(
      ANDROID_NOTIFICATION.split(' ').toSorted(),
    );
  });
});
