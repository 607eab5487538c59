// How a job for a thread fails beside its own errors. A file of their own: who only tells them apart loads no threads.

/** A job that took more memory or time than it may; it was ended, and nothing came of it. */
export class WorkLimitError extends Error {
  readonly code = 'WORK_LIMIT';
}

/** Too many jobs wait for a thread: the same may be asked again later. */
export class WorkersBusyError extends Error {
  readonly code = 'WORKERS_BUSY';
}
