// The fingerprint of a plan (planning.md §9), so that a previewed plan runs exactly, or is refused. It covers everything that
// decides what is sent, to whom, when, and whether; never what changes from minute to minute (mode, hand-off, load).
import { createHash, type Hash } from 'node:crypto';
import { formatLocal } from '../../../zone-rules/civil.js';
import { inlineRecipients, listedGroups, RecipientPlacer } from '../audience/recipients.js';
import type { CellBase, ChunkRun, Plan, PlanInput, PlannedCell } from './plan-types.js';

/** What the hash covers, each with a digest of its own, so that a difference can be named. */
export const HASHED_MEMBERS = [
  'service',
  'message',
  'audience',
  'delivery',
  'policy',
  'zoneRules',
  'refusal',
  'occurrences',
  'cells',
] as const;
export type HashedMember = (typeof HASHED_MEMBERS)[number];
export type PlanDigests = Readonly<Record<HashedMember, string>>;

/** All decisions about a cell, in the form in which a difference shows them. */
export interface DecidedCell {
  readonly occurrence: string;
  readonly cell: string;
  readonly decided: {
    /** In UTC; `now` where it goes at the instant of planning, whenever that is. */
    readonly dueAt: string;
    readonly requests: number;
    readonly recipients: number | null;
    readonly skipped: string | null;
    readonly expired: boolean;
    readonly dst: string;
    readonly passedZone: string;
    readonly night: string;
    readonly quietHours: string;
    /** Over the dues of all its requests, and which of them are skipped. */
    readonly duesDigest: string;
    /** Over its USER ids, in the order of its requests; null where it has none, or everybody is in one place. */
    readonly idsDigest: string | null;
  };
}

export interface Fingerprint {
  readonly hash: string;
  readonly digests: PlanDigests;
  readonly cells: readonly DecidedCell[];
}

/**
 * The hash: SHA-256 in hex over the digests of all these members. Delivery and policy are included as they are, because a recurrence
 * is more than its occurrences of the next weeks, and the policy is applied again when a send leaves.
 */
export function fingerprint(plan: Plan, input: PlanInput): Fingerprint {
  const { campaign, audience: facts } = input;
  const idsDigest = idsByPlace(input);
  const cells = plan.occurrences.flatMap(({ occurrence, cells: planned }) =>
    planned.map((cell) => ({
      occurrence,
      cell: cell.key,
      decided: { ...decidedOf(cell), idsDigest: idsDigest(cell) },
    })),
  );
  const lists = Object.entries(facts.lists ?? {}).map(([name, { version }]) => [name, version]);
  const members: Record<HashedMember, unknown> = {
    service: campaign.serviceId,
    message: [campaign.messageType, campaign.message],
    audience: [campaign.audience, lists],
    delivery: campaign.delivery,
    policy: campaign.policy,
    zoneRules: plan.tzdata.version,
    refusal: plan.refusal?.code ?? null,
    occurrences: plan.occurrences.map(({ occurrence, skipped }) => [occurrence, skipped ?? null]),
    // Sorted: the order in which the audience names its zones changes nothing.
    cells: cells.map(({ occurrence, cell, decided }) => stableJson([occurrence, cell, decided])).toSorted(),
  };
  const digests = Object.fromEntries(
    HASHED_MEMBERS.map((member) => [member, digestOf(members[member])]),
  ) as PlanDigests;
  return { hash: digestOf(digests), digests, cells };
}

function decidedOf(cell: PlannedCell): Omit<DecidedCell['decided'], 'idsDigest'> {
  const [first] = cell.runs;
  return {
    dueAt: first?.fromNow === true ? 'now' : `${formatLocal(cell.dueAt)}Z`,
    requests: cell.chunks,
    recipients: cell.recipients ?? null,
    skipped: cell.skipped ?? null,
    expired: cell.expired !== undefined,
    dst: cell.dst,
    passedZone: cell.passed.kind,
    night: cell.night.kind,
    quietHours: cell.quiet.kind,
    duesDigest: digestOf(cell.runs.map((run) => decidedRun(run, cell.jitterMs))),
  };
}

/** A request that goes "now" at a pace takes the next free slot: only its place in the queue was decided. */
function decidedRun(
  { first, count, dueAt, stepMs, perStep, skipped, fromNow }: ChunkRun,
  jitterMs: number,
): unknown[] {
  return [first, count, fromNow === true ? ['now', jitterMs] : dueAt, stepMs, perStep, skipped ?? null];
}

/** A digest of the ids in each place. The digest of the audience covers who they are; this one covers where each was put. */
function idsByPlace({ campaign, project, audience, rules }: PlanInput): (cell: CellBase) => string | null {
  if (campaign.delivery.kind !== 'recipient') return () => null;
  const placer = new RecipientPlacer(campaign, project, rules);
  const listed = new Map<string, bigint>();
  for (const { segment, group } of listedGroups(campaign, audience)) {
    if (group.digest === undefined) continue;
    const key = placeKey(placer.place(segment, group.known, group.recipients));
    listed.set(key, (listed.get(key) ?? 0n) ^ BigInt(group.digest));
  }
  const open = new Map<string, Hash>();
  for (const { userId, segment, known } of inlineRecipients(campaign, audience)) {
    const key = placeKey(placer.place(segment, known));
    let ids = open.get(key);
    if (ids === undefined) open.set(key, (ids = createHash('sha256')));
    // No id holds a NUL: acceptance refuses it.
    ids.update(`${userId}\0`);
  }
  const digests = new Map([
    ...[...listed].map(([key, digest]) => [key, digest.toString()] as const),
    ...[...open].map(([key, ids]) => [key, ids.digest('hex')] as const),
  ]);
  return (cell) => (cell.target.type === 'USER' ? (digests.get(placeKey(cell)) ?? null) : null);
}

function placeKey({ zone, zoneSource, segment }: Pick<CellBase, 'zone' | 'zoneSource' | 'segment'>): string {
  return `${zone}|${zoneSource}|${segment}`;
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(stableJson(value)).digest('hex');
}

/** JSON with the members of every object sorted by name, so that equal values give equal text. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
