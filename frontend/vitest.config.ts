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
      restoreMocks: true,
      // Not one less than there are cores, as by default: tests wait for their pages for a good part of their time.
      maxWorkers: availableParallelism(),
      // On a machine with two busy cores, a form that is typed into takes seconds.
      testTimeout: 30_000,
    },
  }),
);
