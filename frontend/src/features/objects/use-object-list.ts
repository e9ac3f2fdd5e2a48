import { useDraftNumber } from '@/hooks/use-draft';
import { useParameter, useSetParameters } from '@/hooks/use-view-state';

import { inDraft, type ListAsked } from './api/objects-read';
import type { Sort } from './kinds';

const sorts: ReadonlySet<string> = new Set<Sort>([
  'name',
  'place',
  'service',
  'target',
  'state',
  'on',
  'expires',
  'level',
]);
const rowsOfPage = 50;

/** What filters a list, apart from its page and order. */
export type ListFilter = Pick<
  ListAsked,
  'text' | 'instance' | 'database' | 'service' | 'target' | 'state' | 'on' | 'expired' | 'changed'
>;
export const filterNames = [
  'text',
  'instance',
  'database',
  'service',
  'target',
  'state',
  'on',
  'expired',
  'changed',
] as const;

/** The list that the address bar asks for, and the ways to ask for another one. */
export function useObjectList() {
  const draft = useDraftNumber();
  const set = useSetParameters();
  const [text] = useParameter('text');
  const [instance] = useParameter('instance');
  const [database] = useParameter('database');
  const [service] = useParameter('service');
  const [target] = useParameter('target');
  const [state] = useParameter('state');
  const [on] = useParameter('on');
  const [expired] = useParameter('expired');
  const [changed] = useParameter('changed');
  const [sortText] = useParameter('sort');
  const [page] = useParameter('page');
  const sort: Sort =
    sortText !== null && sorts.has(sortText.replace('-', '')) ? (sortText.replace('-', '') as Sort) : 'name';
  const isDescending = sortText?.startsWith('-') === true;
  const filter: ListFilter = {
    ...(text === null ? {} : { text }),
    ...(instance === null ? {} : { instance }),
    ...(database === null ? {} : { database }),
    ...(service === null ? {} : { service }),
    ...(target === null ? {} : { target }),
    ...(state === null ? {} : { state }),
    ...(on === null ? {} : { on: on === 'true' }),
    ...(expired === null ? {} : { expired: expired === 'true' }),
    ...(changed === 'true' && draft !== null ? { changed: true } : {}),
  };
  const number = Number(page);
  const asked: ListAsked = {
    ...filter,
    ...inDraft(draft),
    sort,
    descending: isDescending,
    page: Number.isInteger(number) && number > 0 ? number : 1,
    rows: rowsOfPage,
  };
  return {
    draft,
    filter,
    asked,
    isFiltered: Object.keys(filter).length > 0,
    sort,
    isDescending,
    setFilter: (name: (typeof filterNames)[number], value: string | null) => {
      set({ [name]: value, page: null });
    },
    clear: () => {
      set({ ...Object.fromEntries(filterNames.map((name) => [name, null])), page: null });
    },
    sortBy: (wanted: Sort) => {
      set({ sort: wanted === sort && !isDescending ? `-${wanted}` : wanted, page: null });
    },
    toPage: (wanted: number) => {
      set({ page: wanted === 1 ? null : String(wanted) });
    },
  };
}
