import { afterEach, expect, it, vi } from 'vitest';
import { createLog } from './logging/log.js';
import { runService } from './run-service.js';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
const added = (signal: (typeof SIGNALS)[number]) =>
  process.listeners(signal).filter((listener) => before.get(signal)?.includes(listener) === false);

afterEach(() => {
  for (const signal of SIGNALS)
    for (const listener of added(signal)) process.removeListener(signal, listener);
  vi.restoreAllMocks();
});

it.each(SIGNALS)('drains what %s met while it still opened', async (signal) => {
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
  const close = vi.fn(() => Promise.resolve());
  let open: (service: { close(): Promise<void> }) => void = () => undefined;
  const running = runService({
    log: createLog('spec', 'silent'),
    name: 'the service',
    open: () =>
      new Promise((resolve) => {
        open = resolve;
      }),
    portKnob: () => 'PORT',
    hostKnobs: 'HOST',
  });

  const [end] = added(signal);
  expect(end).toBeDefined();
  end?.(signal);
  expect(close).not.toHaveBeenCalled();
  open({ close });
  await running;
  await vi.waitFor(() => expect(exit).toHaveBeenCalledWith(0));
  expect(close).toHaveBeenCalledOnce();
});
