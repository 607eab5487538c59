// Compares the push service's own ledger with ours, where the push service is Carillon's: reads its management API, project by
// project.
import { z } from 'zod';
import type { Database } from '../../platform/database/database.js';
import { inSnapshot } from '../../platform/database/snapshot.js';
import { messageOf } from '../../platform/logging/error-code.js';
import { processEnvironment } from '../../platform/env.js';
import { handedOver, type HandedOver } from '../../scheduler/report/ledger/handed-over.store.js';
import { callApi, refusalOf, type Api } from '../shell/call-api.js';
import { managementApi } from '../shell/management-client.js';
import { compareTotals, inBothReadings, PushTotals, type ComparedTotals } from './compare-totals.js';

/** `differs` is null when the push service has no such service: the project belongs to another gateway. */
export type PushProject = { readonly serviceId: string } & (ComparedTotals | { readonly differs: null });

export interface PushLedger {
  /** UTC days on which messages were taken: the first, and the one after the last. */
  readonly from: string;
  readonly to: string;
  readonly projects: readonly PushProject[];
  /** Why the push service could not be asked to the end; null when it was. */
  readonly fault: string | null;
}

const DAY_MS = 86_400_000;
/**
 * Whatever their settings, both sides keep what was taken in so many days, including today. One day more is read, because clocks
 * differ.
 */
const DAYS = 30;

/** Undefined without MANAGEMENT_TOKEN. Never throws because of the push service. */
export async function readPushLedger(
  database: Database,
  serviceIds: readonly string[] | null,
  now: number,
): Promise<PushLedger | undefined> {
  if (!processEnvironment()['MANAGEMENT_TOKEN']) return undefined;
  const api = managementApi();
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const range = { from: today - (DAYS - 1) * DAY_MS, to: today + 2 * DAY_MS };
  const [from = '', to = ''] = [range.from, range.to].map((at) => new Date(at).toISOString().slice(0, 10));
  const read = async (of: readonly string[] | null): Promise<PushProject[]> => {
    const ours = await inSnapshot(database, (sql) => handedOver(sql, of, range));
    const projects: PushProject[] = [];
    for (const serviceId of ours.serviceIds)
      projects.push(compared(serviceId, ours, await totalsOf(api, serviceId, { from, to })));
    return projects;
  };
  try {
    const first = await read(serviceIds);
    const differing = first.filter(({ differs }) => (differs ?? []).length > 0);
    if (differing.length === 0) return { from, to, projects: first, fault: null };
    const again = await read(differing.map(({ serviceId }) => serviceId));
    const projects = first.map((one) => {
      const second = again.find(({ serviceId }) => serviceId === one.serviceId);
      if (one.differs === null || second === undefined || second.differs === null) return one;
      return { serviceId: one.serviceId, ...inBothReadings(one, second) };
    });
    return { from, to, projects, fault: null };
  } catch (error) {
    return { from, to, projects: [], fault: messageOf(error) };
  }
}

function compared(
  serviceId: string,
  { days, unanswered }: HandedOver,
  theirs: PushTotals | undefined,
): PushProject {
  if (theirs === undefined) return { serviceId, differs: null };
  const ours = days.filter((day) => day.serviceId === serviceId);
  return { serviceId, ...compareTotals(ours, theirs.days, unanswered.get(serviceId) ?? 0) };
}

/** Undefined: it has no such service. */
async function totalsOf(
  api: Api,
  serviceId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<PushTotals | undefined> {
  const path = `/v1/services/${encodeURIComponent(serviceId)}/totals?from=${from}&to=${to}`;
  const answer = await callApi(api, 'GET', path);
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw refusalOf(api, answer);
  const read = PushTotals.safeParse(answer.json);
  if (!read.success)
    throw new Error(`the push service's totals cannot be read: ${z.prettifyError(read.error)}`);
  return read.data;
}

export function agrees(push: PushLedger | undefined): boolean {
  return (
    push === undefined ||
    (push.fault === null && push.projects.every(({ differs }) => (differs ?? []).length === 0))
  );
}

export function humanPushLedger({ from, to, projects, fault }: PushLedger): string[] {
  if (fault !== null) return [`push service: not compared: ${fault}`];
  return [
    `push service: what it took of us from ${from} on, before ${to} (UTC)`,
    ...projects.flatMap((project) => {
      if (project.differs === null) return [`  ${project.serviceId}: it has no such service`];
      const { serviceId, ours, theirs, differs, open } = project;
      return [
        `  ${serviceId}: ${differs.length === 0 ? 'agrees' : 'DIFFERS'}`,
        `    here   ${totalsText(ours)}`,
        `    there  ${totalsText(theirs)}`,
        ...differs.map(
          ({ day, term, ours: here, theirs: there }) => `    ${day}  ${term} ${here} here, ${there} there`,
        ),
        ...open.map((text) => `    open: ${text}`),
      ];
    }),
  ];
}

function totalsText({ messages, final, target, sent, failed }: ComparedTotals['ours']): string {
  return `${messages} messages, ${final} of them final: ${target} devices = ${sent} sent + ${failed} failed or unknown`;
}
