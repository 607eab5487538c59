// What Node is started with, here as in docker-compose.yml and the image.

/**
 * The scheduler: most of what it makes lives for one send. With the default young generation of 16 MiB some of it is old by
 * its end, and collecting took 15 % of its processor time; with 64 MiB it dispatches a tenth more a second (bench:dispatch).
 *
 * The push service: V8 lets the heap grow to three times what lives before it collects. Where it may grow to twice that, a fan-out
 * through APNs takes 62 MB more than a bare loop instead of 153, at the same rate (bench:providers).
 */
export const NODE_OPTIONS = {
  scheduler: ['--enable-source-maps', '--max-semi-space-size=64'],
  'push-service': ['--enable-source-maps', '--heap-growing-percent=100'],
} as const;
