import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import type { TableAnswer, TableRequest } from '@/contracts/api';
import { i18n } from '@/i18n';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

import type { Sorting } from '../sorting';

/** The instant of an answer about now, by what was asked: its other pages are those of the same answer. */
const instants = new Map<string, string>();
const instantsKept = 50;

/** A page of the answer to a question; `state` is that of the estate, which has other answers when it changes. */
export function tableQuery(
  estate: string,
  name: string,
  request: TableRequest,
  state: string,
  sorting: Sorting | null,
  page: number,
) {
  const key = JSON.stringify([estate, name, request, state]);
  return queryOptions({
    queryKey: [...keys.whatIf(estate), 'table', key, sorting, page, i18n.language],
    queryFn: async () => {
      const isFirst = page === 1 && sorting === null;
      const body = isFirst ? request : at(request, instants.get(key));
      const answer = answered(
        await client.POST('/api/v1/estates/{estate}/what-if/questions/{question}', {
          params: { path: { estate, question: name } },
          body: { ...body, sort: sorting?.column ?? null, descending: sorting?.isDescending ?? false, page },
        }),
      ) as TableAnswer;
      remember(key, answer.base.at);
      return answer;
    },
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}

function at(request: TableRequest, instant: string | undefined): TableRequest {
  const { after, before } = request;
  return instant === undefined
    ? request
    : {
        ...request,
        after: { ...after, at: after.at ?? instant },
        ...(before ? { before: { ...before, at: before.at ?? instant } } : {}),
      };
}

function remember(key: string, instant: string): void {
  instants.delete(key);
  instants.set(key, instant);
  const [oldest] = instants.keys();
  if (instants.size > instantsKept && oldest !== undefined) {
    instants.delete(oldest);
  }
}
