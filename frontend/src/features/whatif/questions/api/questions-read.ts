import { queryOptions } from '@tanstack/react-query';

import { i18n } from '@/i18n';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

/** Every question whose answer is a table, with what it takes. */
export function questionsQuery(estate: string) {
  return queryOptions({
    queryKey: [...keys.whatIf(estate), 'questions', i18n.language],
    queryFn: async () =>
      answered(await client.GET('/api/v1/estates/{estate}/what-if/questions', { params: { path: { estate } } })),
    staleTime: Infinity,
  });
}
