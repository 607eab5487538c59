// The upload in a request: its body as a stream, with its format and packing; and the turns that uploads take, so that they leave the
// database and the event loop to others.
import type { FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { lackOfTurns } from '../../../platform/http/lack-of-turns.js';
import { Problem } from '../../../platform/http/problem.js';
import { mediaType, packingOf } from '../../../platform/http/streamed-bodies.js';
import { Turns } from '../../../platform/limited-turns.js';
import type { Packing, Upload } from './read-upload.js';

const TURNS = { most: 2, mostOfOne: 1, waiting: 20, waitingOfOne: 5, waitMs: 10_000 };

export class UploadTurns extends Turns {
  constructor() {
    super(TURNS, lackOfTurns(TURNS, { code: 'UPLOADS_BUSY', what: 'uploads' }));
  }
}

/** Throws a Problem where the body is none that streams. */
export function uploadOf(request: FastifyRequest): Upload {
  const { body } = request;
  if (!(body instanceof Readable))
    throw new Problem(
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      'send rows of userId,zone as text/csv, or as application/x-ndjson',
    );
  return {
    body,
    format: mediaType(request) === 'text/csv' ? 'csv' : 'ndjson',
    packing: packingOf(request) as Packing | undefined,
  };
}
