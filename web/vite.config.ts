// How `npm run build` makes dist/web of web/: hashed files under /assets, each packed beside itself, within the budget.
// `npx vite web` serves the sources for development, `npx vite preview web` what was built; both pass the API on to CARILLON_URL.
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { checkBudget } from './build/check-budget.ts';
import { packAssets } from './build/pack-assets.ts';

const API = /^\/(?:v1|health|docs|schemas|openapi\.json)(?:\/|\?|$)/;

// The Host stays, for the scheduler compares it with the Origin of what changes something.
const target = process.env['CARILLON_URL'] ?? 'http://127.0.0.1:3100';
const proxy = { [API.source]: { target, changeOrigin: false } };

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  // src/scheduler/dashboard/built-dashboard.ts puts the nonce of each answer in its place.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: join(import.meta.dirname, '..', 'dist', 'web'),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    // A browser that takes this target preloads by itself; the polyfill would be an inline script.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // check-budget.ts judges what a page loads.
    chunkSizeWarningLimit: Infinity,
    rolldownOptions: {
      // The components are marked for servers that render; here nothing is lost with the mark.
      onLog: (level, log, write) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') write(level, log);
      },
    },
  },
  server: { proxy },
  preview: { proxy },
  plugins: [packAssets(), checkBudget()],
});
