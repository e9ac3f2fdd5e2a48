import { fileURLToPath } from 'node:url';

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// During `npm run dev` the page comes from Vite and everything else from Django.
const django = process.env.BROKERWEB_URL ?? 'http://127.0.0.1:8000';
const proxied = ['/api', '/login', '/logout', '/admin', '/static'];

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
  },
  server: {
    host: '127.0.0.1',
    proxy: {
      ...Object.fromEntries(proxied.map((path) => [path, { target: django }])),
      '/ws': { target: django.replace(/^http/, 'ws'), ws: true },
    },
  },
});
