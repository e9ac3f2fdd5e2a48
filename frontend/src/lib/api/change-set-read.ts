import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';

import type { ChangeSet, DraftObject } from '@/contracts/api';

import { answered, client } from '../api-client';
import { keys } from '../query-client';

/** Which of the objects of a change set are told, and how many at once. */
export type ObjectsAsked = {
  kind?: DraftObject['kind'];
  instance?: string;
  effect?: DraftObject['effect'];
  text?: string;
  page?: number;
  rows?: number;
};

const heads: ObjectsAsked = { rows: 1 };

/** A change set with a page of the objects that it changes; counts are always those of all. */
export function changeSetQuery(estate: string, number: number, asked: ObjectsAsked = heads) {
  return queryOptions({
    queryKey: [...keys.changeSet(estate, number), 'objects', asked],
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/change-sets/{number}', {
          params: { path: { estate, number }, query: asked },
        }),
      ),
    placeholderData: (previous) => (previous?.number === number ? keepPreviousData(previous) : undefined),
  });
}

/** The newest state of a draft that was read. An edit before this one may have moved the draft since it was drawn. */
export function newestDraft(queries: QueryClient, estate: string, drawn: ChangeSet): ChangeSet {
  const read = queries.getQueriesData<ChangeSet>({ queryKey: [...keys.changeSet(estate, drawn.number), 'objects'] });
  const drafts = read.flatMap(([, draft]) => draft ?? []);
  return drafts.reduce((newest, draft) => (draft.sequence > newest.sequence ? draft : newest), drawn);
}
