// Which topics projects may have their refused events copied to: CARILLON_REJECTION_TOPICS, each exact or a prefix with a star at
// its end. None unless the operator names some, for Carillon may write to topics that are no project's. Pure.

/** A topic's name, or the beginning of names and a star. */
export const REJECTION_TOPIC = /^[A-Za-z0-9._-]{1,249}\*?$/;

export function isRejectionTopic(topic: string, allowed: readonly string[]): boolean {
  return allowed.some((name) => (name.endsWith('*') ? topic.startsWith(name.slice(0, -1)) : topic === name));
}
