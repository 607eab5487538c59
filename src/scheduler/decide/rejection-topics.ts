// Decides to which topics a project may have its refused events copied: those of CARILLON_REJECTION_TOPICS, each an exact name or a
// prefix that ends in a star. None unless the operator names some, because Carillon may also have the right to write to topics that
// belong to no project. Pure.

/** A topic's name, or a prefix of names and a star. */
export const REJECTION_TOPIC = /^[A-Za-z0-9._-]{1,249}\*?$/;

export function isRejectionTopic(topic: string, allowed: readonly string[]): boolean {
  return allowed.some((name) => (name.endsWith('*') ? topic.startsWith(name.slice(0, -1)) : topic === name));
}
