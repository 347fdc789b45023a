import { defineConfig } from 'vite';

// The service that `npm run console:dev` asks.
const service = process.env.CONSOLE_SERVICE ?? 'http://localhost:8080';
const proxied = ['/console/session', '/v1', '/api/v1', '/docs', '/openapi.json', '/readyz', '/metrics'];

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // What browsers of 2024 can: light-dark(), popover, dialog.
    target: 'es2023',
    // A script of its own in each page, which a strict Content-Security-Policy would need a hash for.
    modulePreload: { polyfill: false },
    // Files of their own, always: a `data:` script or style is against the policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        chunkFileNames: ({ name, facadeModuleId }) => `assets/${nameOf(name, facadeModuleId)}-[hash].js`,
        // A browser has six requests to a host at a time: what every page needs is one file, what most share another.
        codeSplitting: {
          groups: [
            { name: 'base', tags: ['$initial'] },
            // Not what waits for texts of its own.
            { name: 'kit', minShareCount: 3, test: (module) => !/\/console\/src\/(operator|paying)\//.test(module) },
          ],
        },
      },
      // Advice about speed, which a busy machine gets without a cause.
      checks: { pluginTimings: false },
    },
  },
  server: {
    // The cookie of the session is the service's: it sees the same host, and no other site.
    proxy: Object.fromEntries(proxied.map((path) => [path, { target: service, changeOrigin: true }])),
  },
});

/** Says what a file is: a page, the texts of one, a group of the above, or what pages share. */
function nameOf(name, module) {
  if (name === 'base' || name === 'kit') return name;
  const [, page, language, texts] =
    /\/src\/(?:pages\/([^/]+)\/index\.tsx|i18n\/([^/]+)\/([^/]+)\.ts)$/.exec(module ?? '') ?? [];
  if (page) return `page-${page}`;
  return texts ? `texts-${language}-${texts}` : 'shared';
}
