// Waits for work, but not for ever. Work that is late goes on, and the caller does something else.

export const LATE = Symbol('late');

/** Returns the result of `work`, or LATE after `ms` real milliseconds. A failure after that is ignored. */
export async function within<Result>(work: Promise<Result>, ms: number): Promise<Result | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), ms);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
