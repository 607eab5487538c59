// What stays of a JSON value without a user's id. Pure.
import type { Campaign } from '../../decide/plan/campaign.js';

/** Stands in place of the id where something has to stand. */
export const ERASED = '[erased]';

/**
 * The campaign goes to the user no more, by no audience of it; undefined: it did not. A campaign to nobody is still a campaign, whose
 * occurrences are empty.
 */
export function withoutRecipient<Data extends Partial<Campaign>>(
  data: Data,
  userId: string,
): Data | undefined {
  let found = false;
  const rest = (ids: readonly string[]): string[] => {
    const kept = ids.filter((id) => id !== userId);
    found ||= kept.length < ids.length;
    return kept;
  };
  const ofAudience = <One extends Campaign['audience'] | undefined>(audience: One): One =>
    audience?.type === 'USER' && 'to' in audience ? { ...audience, to: rest(audience.to) } : audience;
  const { audience, delivery, policy } = data;
  const without = {
    ...data,
    ...(audience !== undefined && { audience: ofAudience(audience) }),
    ...(delivery?.kind === 'recipient' &&
      delivery.segments !== undefined && {
        delivery: {
          ...delivery,
          segments: delivery.segments.map((one) => ({ ...one, audience: ofAudience(one.audience) })),
        },
      }),
    ...(policy?.testTo !== undefined && { policy: { ...policy, testTo: rest(policy.testTo) } }),
  };
  return found ? without : undefined;
}

/**
 * The value with ERASED in place of the id: in each text that is the id, or has it as a word. Names of members stay. undefined: it is
 * nowhere in the value.
 */
export function withoutMention(value: unknown, userId: string): unknown {
  const word = wordOf(userId);
  let found = false;
  const clean = (one: unknown): unknown => {
    if (typeof one === 'string') {
      const text = one.replace(word, ERASED);
      found ||= text !== one;
      return text;
    }
    if (Array.isArray(one)) return one.map(clean);
    if (one === null || typeof one !== 'object') return one;
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, clean(member)]));
  };
  const without = clean(value);
  return found ? without : undefined;
}

/** The id, unless it is a part of a longer word: letters, digits and what ids are mostly joined by. */
function wordOf(userId: string): RegExp {
  const literal = userId.replaceAll(
    /[^\p{L}\p{N}]/gu,
    (sign) => String.raw`\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return new RegExp(String.raw`(?<![\p{L}\p{N}_@.:\-])${literal}(?![\p{L}\p{N}_@:\-]|\.[\p{L}\p{N}])`, 'gu');
}
