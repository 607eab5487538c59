// Jobs for worker-pool.spec.ts, of each kind of end.
import { handedOver } from '../../src/platform/workers/worker-pool.js';

export const doubled = (given: number): number => given * 2;

export const bytes = (count: number): Uint8Array => {
  const made = new Uint8Array(count).fill(7);
  return handedOver(made, [made]);
};

export const failing = (text: string): never => {
  throw new Error(text);
};

export const hoarding = (from: number): never => {
  const kept: string[][] = [];
  for (let at = from; ; at += 1) kept.push(Array.from({ length: 10_000 }, (_, index) => `${at} ${index}`));
};

export const endless = (from: number): never => {
  for (let at = from; ; at += 1) if (at < 0) throw new Error('never');
};
