import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import type { Finding, FindingCount } from '@/contracts/api';
import { findingCountsQuery, findingsQuery } from '@/lib/api/findings-read';
import { useFormMistakes } from '@/lib/form-mistakes';
import { marksOf, withMistake, type Marks } from '@/topology/findings';

import { useEstatePage } from './use-estate-page';
import { useSandbox } from './use-sandbox';

const none: readonly Finding[] = [];
const nothing: readonly FindingCount[] = [];

/** In an examination the server tells none. */
function useIsTold(): boolean {
  return useSandbox()?.isExam !== true;
}

/** Where findings are looked for; null is nowhere. */
type Place = { instance: string; database?: string | null } | null;

/**
 * The open findings about a place of what is on view, live or a draft, the gravest first; none as long as they are not
 * known, and none in an examination.
 */
export function useFindingsAt(place: Place): readonly Finding[] {
  const { name, revision, change_set: draft } = useEstatePage();
  const isTold = useIsTold();
  const asked = {
    rows: 1000,
    ...(place === null ? {} : { instance: place.instance }),
    ...(typeof place?.database === 'string' ? { database: place.database } : {}),
  };
  const query = useQuery({ ...findingsQuery(name, revision, draft, asked), enabled: isTold && place !== null });
  // Those of another place are no findings of this one.
  return query.isPlaceholderData ? none : (query.data?.findings ?? none);
}

/** How many open findings there are, and how many of each object. */
export function useFindingCounts(): { total: number; byObject: readonly FindingCount[] } {
  const { name, revision, change_set: draft } = useEstatePage();
  const { data } = useQuery({ ...findingCountsQuery(name, revision, draft), enabled: useIsTold() });
  return {
    total: data === undefined ? 0 : data.errors + data.warnings + data.infos,
    byObject: data?.by_object ?? nothing,
  };
}

/** How many findings each object of the drawing has; a mistake in the form that is open counts as one. */
export function useFindingMarks(): Marks {
  const { byObject } = useFindingCounts();
  const mistaken = useFormMistakes(({ about }) => about);
  return useMemo(() => withMistake(marksOf(byObject), mistaken), [byObject, mistaken]);
}
