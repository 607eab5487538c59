// `carillon audiences put`: streams a file to PUT /v1/audiences/{name}.
import { z } from 'zod';
import { print, type JsonOption } from '../shell/output.js';
import { schedulerApi } from '../shell/scheduler-api.js';
import { counted } from '../shell/text-layout.js';
import { uploadFile, type UploadOptions } from './upload-file.js';

export interface PutAudienceOptions extends JsonOption, UploadOptions {
  readonly expires?: number;
}

const Uploaded = z.object({
  version: z.string(),
  rows: z.number(),
  duplicates: z.number(),
  byZone: z.array(z.object({ zone: z.string().nullable(), rows: z.number() })),
  invalidZones: z.array(z.object({ value: z.string(), rows: z.number(), near: z.string().optional() })),
  unchanged: z.boolean(),
  expiresAt: z.string(),
});

export async function putAudience(name: string, file: string, options: PutAudienceOptions): Promise<void> {
  const { service: serviceId, expires } = options;
  const query = new URLSearchParams({
    serviceId,
    ...(expires !== undefined && { expiresInDays: String(expires) }),
  });
  const path = `/v1/audiences/${encodeURIComponent(name)}?${query.toString()}`;
  const answer = await uploadFile(schedulerApi({ role: 'publisher' }), path, file, options);
  print(options, answer, textOf(name, Uploaded.parse(answer)));
}

function textOf(
  name: string,
  { rows, duplicates, byZone, invalidZones, unchanged, expiresAt, version }: z.output<typeof Uploaded>,
): string {
  const ofNone = byZone.find(({ zone }) => zone === null)?.rows ?? 0;
  const zones = byZone.length - (ofNone > 0 ? 1 : 0);
  const lines = [
    `${name}: ${counted(rows, 'user')} in ${counted(zones, 'zone')}, until ${expiresAt}`,
    `version ${version}${unchanged ? ', as before: the content is the same' : ''}`,
  ];
  if (duplicates > 0) lines.push(`${counted(duplicates, 'row')} named a user again: the first counts`);
  if (ofNone > 0)
    lines.push(`${counted(ofNone, 'user')} without a zone: the directory, or the push service, may know it`);
  for (const { value, rows: wrong, near } of invalidZones.slice(0, 20))
    lines.push(
      `${value} is no zone (${counted(wrong, 'user')})${near === undefined ? '' : `; did you mean ${near}?`}`,
    );
  return lines.join('\n');
}
