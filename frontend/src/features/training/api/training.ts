import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import type { TrainingFault, TrainingMode } from '@/contracts/api';
import { i18n } from '@/i18n';
import { answered, client } from '@/lib/api-client';

/** While the clock of a run goes, its tasks may come true by themselves. */
const goingMilliseconds = 1_000;
/** While it stands, another window may act in it. */
const standingMilliseconds = 5_000;

const base = '/api/v1/training/sessions/{session}';

export const trainingKeys = {
  all: ['training'],
  catalogue: () => ['training', 'catalogue', i18n.language],
  lesson: (id: string) => ['training', 'lesson', id, i18n.language],
  lessons: () => ['training', 'lessons', i18n.language],
  groups: () => ['training', 'groups'],
  run: (session: string) => ['training', 'run', session, i18n.language],
};

/** Every scenario, with one's own progress. */
export function catalogueQuery() {
  return queryOptions({
    queryKey: trainingKeys.catalogue(),
    queryFn: async () => answered(await client.GET('/api/v1/training/scenarios')),
  });
}

/** Every page that teaches, in the order in which the exercises lead to them. */
export function lessonsQuery() {
  return queryOptions({
    queryKey: trainingKeys.lessons(),
    queryFn: async () => answered(await client.GET('/api/v1/training/lessons')),
    staleTime: Infinity,
  });
}

/** A page that teaches one thing. */
export function lessonQuery(id: string) {
  return queryOptions({
    queryKey: trainingKeys.lesson(id),
    queryFn: async () =>
      answered(await client.GET('/api/v1/training/lessons/{lesson}', { params: { path: { lesson: id } } })),
    staleTime: Infinity,
  });
}

/** A run as it is now. */
export function runQuery(session: string) {
  return queryOptions({
    queryKey: trainingKeys.run(session),
    queryFn: async () => answered(await client.GET(base, { params: { path: { session } } })),
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.clock === null
        ? false
        : data.clock.rate > 0
          ? goingMilliseconds
          : standingMilliseconds,
  });
}

export async function beginRun(scenario: string, mode: TrainingMode) {
  return answered(await client.POST('/api/v1/training/sessions', { body: { scenario, mode } }));
}

/** What one does in a run; each answers with the run as it is then. */
export function deedsOf(session: string) {
  const params = { params: { path: { session } } };
  return {
    setRate: async (rate: number) => answered(await client.POST(`${base}/clock/rate`, { ...params, body: { rate } })),
    step: async (seconds: number) =>
      answered(await client.POST(`${base}/clock/step`, { ...params, body: { seconds } })),
    jump: async () => answered(await client.POST(`${base}/clock/jump`, { ...params, body: {} })),
    hint: async () => answered(await client.POST(`${base}/hint`, { ...params, body: {} })),
    check: async () => answered(await client.POST(`${base}/check`, { ...params, body: {} })),
    finish: async () => answered(await client.POST(`${base}/finish`, { ...params, body: {} })),
    giveUp: async () => answered(await client.POST(`${base}/give-up`, { ...params, body: {} })),
    breakIt: async (fault: TrainingFault['fault']) =>
      answered(await client.POST(`${base}/faults/begin`, { ...params, body: { fault } })),
    mend: async (fault: TrainingFault['fault']) =>
      answered(await client.POST(`${base}/faults/end`, { ...params, body: { fault } })),
  };
}

export type Deeds = ReturnType<typeof deedsOf>;

/** What was done in a run that has ended. */
export function replayQuery(session: string) {
  return queryOptions({
    queryKey: [...trainingKeys.run(session), 'replay'],
    queryFn: async () => answered(await client.GET(`${base}/replay`, { params: { path: { session } } })),
    staleTime: Infinity,
  });
}

/** How it stood at a second of its own time. */
export function momentQuery(session: string, seconds: number) {
  return queryOptions({
    queryKey: [...trainingKeys.run(session), 'replay', seconds],
    queryFn: async () =>
      answered(await client.GET(`${base}/replay/moment`, { params: { path: { session }, query: { seconds } } })),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}

/** A trainer's groups. */
export function groupsQuery() {
  return queryOptions({
    queryKey: trainingKeys.groups(),
    queryFn: async () => answered(await client.GET('/api/v1/training/groups')),
  });
}

/** What the members of a group have made of the scenarios. */
export function progressQuery(group: number) {
  return queryOptions({
    queryKey: [...trainingKeys.groups(), group, i18n.language],
    queryFn: async () =>
      answered(await client.GET('/api/v1/training/groups/{group}/progress', { params: { path: { group } } })),
    refetchInterval: 5_000,
  });
}

export async function changeGroup(group: number, name: string, members: string[]) {
  return answered(
    await client.PUT('/api/v1/training/groups/{group}', { params: { path: { group } }, body: { name, members } }),
  );
}

/** Follows it no more; what its members have done stays. */
export async function deleteGroup(group: number) {
  await client.DELETE('/api/v1/training/groups/{group}', { params: { path: { group } } });
}

export async function createGroup(name: string, members: string[]) {
  return answered(await client.POST('/api/v1/training/groups', { body: { name, members } }));
}
