// How a job for a thread fails, besides its own errors. They have a file of their own, so that code that only checks for them
// loads no threads.

/** A job took more memory or time than it may. It was ended, and it has no result. */
export class WorkLimitError extends Error {
  readonly code = 'WORK_LIMIT';
}

/** Too many jobs wait for a thread. The caller may ask again later. */
export class WorkersBusyError extends Error {
  readonly code = 'WORKERS_BUSY';
}
