// Fills requests with USER ids as they stream by. Only one unfinished request for each place is ever held. Pure.
import type { Place, Recipient, RecipientPlacer } from './recipients.js';

/** The ids of one request, in the order they came; chunk n of a place always follows chunk n − 1. */
interface RecipientChunk {
  readonly place: Place;
  readonly chunk: number;
  readonly to: readonly string[];
}

/** Requests of at most `maxTo` ids each: memory is bounded by places × maxTo. */
export function* chunkRecipients(
  recipients: Iterable<Recipient>,
  placer: RecipientPlacer,
  maxTo: number,
): Generator<RecipientChunk, void, void> {
  const open = new Map<Place, { chunk: number; to: string[] }>();
  for (const { userId, segment, known } of recipients) {
    const place = placer.place(segment, known);
    let filling = open.get(place);
    if (filling === undefined) open.set(place, (filling = { chunk: 0, to: [] }));
    filling.to.push(userId);
    if (filling.to.length < maxTo) continue;
    yield { place, chunk: filling.chunk, to: filling.to };
    open.set(place, { chunk: filling.chunk + 1, to: [] });
  }
  for (const [place, { chunk, to }] of open) if (to.length > 0) yield { place, chunk, to };
}
