// How long answers are kept and when they are asked for again. Numbered refusals are never repeated by themselves.
import { QueryClient } from '@tanstack/react-query';

import { ApiError } from './errors';
import { restoredPercent, restoringDelay } from './restoring';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What is being restored is there at some time, and sooner for being asked.
      retry: (failures, error) =>
        restoredPercent(error) !== null || (!(error instanceof ApiError && error.problem.status < 500) && failures < 3),
      retryDelay: (failures, error) =>
        restoredPercent(error) === null ? Math.min(500 * 2 ** failures, 8_000) : restoringDelay(error),
    },
    mutations: { retry: false },
  },
});

export const keys = {
  me: ['me'],
  tokens: ['tokens'],
  users: ['users'],
  estates: ['estates'],
  topology: (estate: string) => ['topology', estate],
  draft: (estate: string, number: number | null) => ['topology', estate, number],
  changeSets: (estate: string) => ['change-sets', estate],
  changeSet: (estate: string, number: number) => ['change-sets', estate, number],
  changeSetList: (estate: string, state: string) => ['change-sets', estate, 'list', state],
  decisions: (estate: string) => ['decisions', estate],
  revisions: (estate: string) => ['decisions', estate, 'revisions'],
  audit: (estate: string, asked: unknown) => ['decisions', estate, 'audit', asked],
  findings: (estate: string) => ['findings', estate],
  assertions: (estate: string) => ['assertions', estate],
  flows: (estate: string) => ['flows', estate],
  whatIf: (estate: string) => ['what-if', estate],
  positions: (estate: string) => ['positions', estate],
  samples: ['samples'],
  jobs: ['jobs'],
  traffic: (estate: string) => ['traffic', estate],
  lake: (estate: string) => ['lake', estate],
  runs: (estate: string) => ['runs', estate],
  hosting: (estate: string) => ['hosting', estate],
  backups: (estate: string) => ['backups', estate],
  queue: (path: { estate: string; instance: string; database: string; queue: string }) => ['queue', path],
} as const;

/**
 * Mutations of one draft run one after another. The server counts each edit: *Apply*, pressed right after an edit,
 * waits until the draft is read again, and names this state.
 */
export function draftScope(estate: string, number: number) {
  return { id: `draft ${estate} ${number}` };
}
