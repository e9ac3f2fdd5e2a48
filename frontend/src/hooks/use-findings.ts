import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import type { Finding } from '@/contracts/api';
import { openFindingsQuery } from '@/lib/api/findings-read';
import { useFormMistakes } from '@/lib/form-mistakes';
import { marksOf, withMistake, type Marks } from '@/topology/findings';

import { useEstatePage } from './use-estate-page';
import { useSandbox } from './use-sandbox';

const none: readonly Finding[] = [];

/**
 * The open findings of what is on view, live or a draft, the gravest first; none as long as they are not known, and
 * none in an examination, where the server tells none.
 */
export function useOpenFindings(): readonly Finding[] {
  const { name, revision, change_set: draft } = useEstatePage();
  const isTold = useSandbox()?.isExam !== true;
  return useQuery({ ...openFindingsQuery(name, revision, draft), enabled: isTold }).data?.findings ?? none;
}

/** How many findings each object of the drawing has; a mistake in the form that is open counts as one. */
export function useFindingMarks(): Marks {
  const findings = useOpenFindings();
  const mistaken = useFormMistakes(({ about }) => about);
  return useMemo(() => withMistake(marksOf(findings), mistaken), [findings, mistaken]);
}
