// Lists as the API shows them.
import { z } from 'zod';
import { pageSchema } from '../../../platform/http/paging.js';
import { LIST_NAME } from '../../accept/parse/campaign-event.js';

export const listNameParam = z
  .string()
  .regex(LIST_NAME, 'must be the name of a list: 1 to 128 of A–Z a–z 0–9 . _ : -');

const instant = z.iso.datetime();
const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ examples: ['3f'.repeat(32)] });
const version = z.uuid().meta({ examples: ['01936d5c-7a00-7000-8000-000000000001'] });
const name = z.string().meta({ examples: ['vip-2027'] });
const rows = z.int().min(0);

const zones = {
  byZone: z
    .array(z.object({ zone: z.string().nullable().describe('Null: none was given'), rows }))
    .describe('Its ids by zone, the largest first; without those whose zone is none'),
  invalidZones: z
    .array(
      z.object({
        value: z.string(),
        rows,
        near: z.string().optional().describe('The zone that was meant, perhaps'),
      }),
    )
    .describe('Names that are no IANA zones; their ids go by the fallback'),
};

/** The answer to an upload. */
export const UploadedList = z
  .object({
    serviceId: z.string(),
    name,
    version: version.describe('The version that counts now'),
    rows: rows.describe('Its ids, each once'),
    duplicates: rows.describe('Rows that named an id again: the first counts'),
    ...zones,
    contentDigest: digest.describe('SHA-256 of the body, unpacked'),
    unchanged: z.boolean().describe('The version before had the same content: it stays, until expiresAt'),
    expiresAt: instant.describe('Until then campaigns may be published to it'),
  })
  .meta({ id: 'UploadedList' });

export const ListedList = z
  .object({
    serviceId: z.string(),
    name,
    version,
    rows,
    contentDigest: digest,
    readyAt: instant,
    expiresAt: instant,
  })
  .meta({ id: 'ListedList' });
export const ListPage = pageSchema(ListedList);

export const ListVersion = z
  .object({
    version,
    counts: z.boolean().describe('Campaigns that are published now go to it'),
    rows,
    duplicates: rows,
    ...zones,
    contentDigest: digest,
    readyAt: instant,
    expiresAt: instant,
    campaigns: z
      .int()
      .min(0)
      .describe('Open campaigns that go to it: it stays until seven days after their end'),
  })
  .meta({ id: 'ListVersion' });

export const ListUpload = z
  .object({
    version,
    rows: rows.describe('That came so far, repeated ids included'),
    bytes: z.int().min(0).describe('That came so far, unpacked'),
    begunAt: instant,
  })
  .meta({ id: 'ListUpload' });

export const ListDetail = z
  .object({
    serviceId: z.string(),
    name,
    versions: z.array(ListVersion).describe('The newest first'),
    uploads: z.array(ListUpload).describe('Under way'),
  })
  .meta({ id: 'ListDetail' });

export const DeletedList = z
  .object({
    serviceId: z.string(),
    name,
    versions: z.int().min(0).describe('Versions and uploads of it'),
    keptBy: z
      .int()
      .min(0)
      .describe('Open campaigns that go to one of them, which stays until seven days after their end'),
  })
  .meta({ id: 'DeletedList' });
