import { queryOptions } from '@tanstack/react-query';

import type { ObjectName, ObjectPage } from '@/contracts/api';
import type { operations } from '@/contracts/generated/api';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

import type { KindName } from '../kinds';

export type ListAsked = NonNullable<operations['objects_list']['parameters']['query']>;

/** A page of the objects of a kind. From page to page the old rows stay until the new ones are there. */
export function objectListQuery(estate: string, kind: KindName, asked: ListAsked) {
  return queryOptions({
    queryKey: [...keys.topology(estate), 'objects', kind, asked],
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/objects/{kind}', {
          params: { path: { estate, kind }, query: asked },
        }),
      ) as ObjectPage,
    placeholderData: (previous: ObjectPage | undefined) => (previous?.kind === kind ? previous : undefined),
  });
}

/** How many objects of each kind there are. */
export function objectCountsQuery(estate: string, draft: number | null) {
  return queryOptions({
    queryKey: [...keys.topology(estate), 'objects', 'counts', draft],
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/objects', { params: { path: { estate }, query: inDraft(draft) } }),
      ),
    placeholderData: (previous: Record<string, number> | undefined) => previous,
  });
}

/** One object with what names it and its T-SQL. */
export function objectQuery(
  estate: string,
  kind: KindName,
  { instance, database, name }: ObjectName,
  draft: number | null,
) {
  return queryOptions({
    queryKey: [...keys.topology(estate), 'objects', kind, 'object', instance, database, name, draft],
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/objects/{kind}/object', {
          params: {
            path: { estate, kind },
            query: { instance, ...(typeof database === 'string' ? { database } : {}), name, ...inDraft(draft) },
          },
        }),
      ),
  });
}

export function inDraft(draft: number | null): { change_set?: number } {
  return draft === null ? {} : { change_set: draft };
}
