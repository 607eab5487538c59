// What Node is started with, here as in docker-compose.yml and the image.

/**
 * Most of what the scheduler makes lives for one send. With the default young generation of 16 MiB some of it is old by
 * its end, and collecting took 15 % of its processor time; with 64 MiB it dispatches a tenth more a second (bench:dispatch).
 */
export const NODE_OPTIONS = {
  scheduler: ['--enable-source-maps', '--max-semi-space-size=64'],
  'push-service': ['--enable-source-maps'],
} as const;
