import { queryOptions } from '@tanstack/react-query';

import type { ScriptAsked } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';

/** The T-SQL of an estate, of a part of it, or of the changes between two revisions. */
export function scriptQuery(estate: string, revision: number, asked: ScriptAsked) {
  return queryOptions({
    queryKey: ['script', estate, revision, asked],
    queryFn: async () =>
      answered(await client.GET('/api/v1/estates/{estate}/script', { params: { path: { estate }, query: asked } })),
  });
}

export function downloadAddress(estate: string, asked: ScriptAsked): string {
  const query = new URLSearchParams(
    Object.entries(asked).flatMap(([name, value]) =>
      value === null ? [] : [value].flat().map((one) => [name, String(one)]),
    ),
  );
  return `/api/v1/estates/${encodeURIComponent(estate)}/script.sql?${query.toString()}`;
}
