// One claim, from its beginning to its end.
import type { ClaimOrder } from '../../../../src/push-service/delivery/chunk.store.js';
import type { ChunkDelivery } from '../../../../src/push-service/delivery/deliver-chunks.js';

/** Returns how many chunks were claimed. Rejects with what broke in the claim. */
export async function deliverWhole(
  delivery: ChunkDelivery,
  order: ClaimOrder,
  signal: AbortSignal,
): Promise<number> {
  const begun = await delivery.begin(order, signal);
  await begun?.ended;
  return begun?.chunks ?? 0;
}
