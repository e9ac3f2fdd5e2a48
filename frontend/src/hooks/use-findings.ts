import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import type { Finding } from '@/contracts/api';
import { openFindingsQuery } from '@/lib/api/findings-read';
import { marksOf, type Marks } from '@/topology/findings';

import { useEstatePage } from './use-estate-page';

const none: readonly Finding[] = [];

/** The open findings of the estate, the gravest first; none as long as they are not known. */
export function useOpenFindings(): readonly Finding[] {
  const { name, revision } = useEstatePage();
  return useQuery(openFindingsQuery(name, revision)).data?.findings ?? none;
}

/** How many findings each object of the drawing has. */
export function useFindingMarks(): Marks {
  const findings = useOpenFindings();
  return useMemo(() => marksOf(findings), [findings]);
}
