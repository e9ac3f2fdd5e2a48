import { fileURLToPath } from 'node:url';

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// During `npm run dev` the page comes from Vite and everything else from Django.
const django = process.env.BROKERWEB_URL ?? 'http://127.0.0.1:8000';
const proxied = ['/api', '/login', '/logout', '/admin', '/static'];

/** From so many pages and parts on, each of which is fetched when it is wanted, a module comes with the first visit. */
const shared = 3;

export default defineConfig({
  base: '/',
  plugins: [react()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    outDir: 'dist',
    assetsDir: 'assets',
    emptyOutDir: true,
    target: 'es2023',
    // elkjs, the layout engine, is one file of 1.6 MB, fetched only when a layout is asked for.
    chunkSizeWarningLimit: 1700,
    rolldownOptions: {
      output: {
        // What several pages share comes in two files, not in one for each combination of pages: a first visit asked
        // for 173.
        codeSplitting: {
          groups: [
            { name: 'libraries', test: /node_modules/, minShareCount: shared, priority: 2 },
            { name: 'common', minShareCount: shared, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: {
      ...Object.fromEntries(proxied.map((path) => [path, { target: django }])),
      '/ws': { target: django.replace(/^http/, 'ws'), ws: true },
    },
  },
});
