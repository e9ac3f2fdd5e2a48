import { fileURLToPath } from 'node:url';
import { availableParallelism } from 'node:os';

import { defineConfig, mergeConfig } from 'vitest/config';

import viteConfig from './vite.config.ts';

export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      environment: 'jsdom',
      globals: true,
      include: ['src/**/*.test.{ts,tsx}'],
      setupFiles: ['src/testing/setup.ts'],
      // One page and one copy of the modules for all files of a worker: src/testing/setup.ts puts back what tests change.
      isolate: false,
      alias: [{ find: /^zustand$/, replacement: fileURLToPath(new URL('./src/testing/zustand.ts', import.meta.url)) }],
      restoreMocks: true,
      unstubGlobals: true,
      // Not one less than there are cores, as by default: tests wait for their pages for a good part of their time.
      maxWorkers: availableParallelism(),
      // Only what hangs takes so long, however busy the machine is: a form that is typed into takes seconds.
      testTimeout: 120_000,
    },
  }),
);
