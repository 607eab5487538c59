// `carillon zones put`: streams zones of users into the directory, PUT /v1/recipients/zones.
import { z } from 'zod';
import { uploadFile, type UploadOptions } from '../audiences/upload-file.js';
import { print, type JsonOption } from '../shell/output.js';
import { schedulerApi } from '../shell/scheduler-api.js';
import { counted } from '../shell/text-layout.js';

export interface PutZonesOptions extends JsonOption, UploadOptions {}

const Put = z.looseObject({
  rows: z.number(),
  written: z.number(),
  deleted: z.number(),
  older: z.number(),
  invalidZones: z.array(z.object({ value: z.string(), rows: z.number(), near: z.string().optional() })),
});

/** The exit code is 1 where a name is no zone. */
export async function putZones(file: string, options: PutZonesOptions): Promise<void> {
  const path = `/v1/recipients/zones?${new URLSearchParams({ serviceId: options.service }).toString()}`;
  const put = Put.parse(await uploadFile(schedulerApi({ role: 'publisher' }), path, file, options));
  const { rows, written, deleted, older, invalidZones } = put;
  const lines = [
    `${counted(rows, 'row')}: ${counted(written, 'user')} have the zone that was sent`,
    ...(deleted === 0 ? [] : [`${counted(deleted, 'user')} have none any more`]),
    ...(older === 0 ? [] : [`${counted(older, 'user')} keep what was said later`]),
    ...invalidZones.map(
      ({ value, rows: wrong, near }) =>
        `${value} is no zone (${counted(wrong, 'user')})${near === undefined ? '' : `; did you mean ${near}?`}`,
    ),
  ];
  print(options, put, lines.join('\n'));
  if (invalidZones.length > 0) process.exitCode = 1;
}
