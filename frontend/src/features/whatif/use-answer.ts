import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import type { Estate, WhatIf, WhatIfComparison } from '@/contracts/api';
import { useParameter } from '@/hooks/use-view-state';
import { asProblem, type Problem } from '@/lib/errors';

import { answerQuery } from './api/answer-read';
import { comparisonQuery } from './api/comparison-read';
import type { Side } from './components/comparison';
import { basisOf, questionOf, type Asked } from './use-question';

export type Answered = {
  /** The one on view; null as long as none is there. */
  whatIf: WhatIf | null;
  /** Where a draft is asked about: the answer without it and with it. */
  comparison: WhatIfComparison | null;
  side: Side;
  /** The answer on view is one to an earlier question, or about an earlier state. */
  isOutdated: boolean;
  isAsking: boolean;
  problem: Problem | null;
  retry: () => void;
};

/** The answer to what stands in the address: of a draft it is compared with what is live. */
export function useAnswer(estate: Estate, asked: Asked): Answered {
  const [shown, setShown] = useParameter('side');
  const question = questionOf(asked);
  const basis = basisOf(asked);
  const isCompared = asked.draft !== null;
  // What is past stays as it was; a draft stands on what is live, so it moves with both.
  const state = asked.revision === null ? `${estate.state} ${estate.change_set?.sequence ?? ''}` : '';
  const one = useQuery({
    ...answerQuery(estate.name, { question: question ?? nobody, ...basis }, state),
    enabled: question !== null && !isCompared,
  });
  const two = useQuery({
    ...comparisonQuery(
      estate.name,
      { question: question ?? nobody, before: { ...basis, change_set: null }, after: basis },
      state,
    ),
    enabled: question !== null && isCompared,
  });
  const query = isCompared ? two : one;
  const comparison = isCompared && question !== null ? (two.data ?? null) : null;
  const wanted: Side = shown === 'before' ? 'before' : 'after';
  const side = (comparison?.[wanted] ?? null) === null ? other(wanted) : wanted;
  return {
    whatIf: question === null ? null : isCompared ? (comparison?.[side] ?? null) : (one.data ?? null),
    comparison,
    side,
    isOutdated: query.isPlaceholderData,
    isAsking: question !== null && query.isPending,
    problem: question === null || query.error === null ? null : asProblem(query.error),
    retry: () => {
      setShown(null);
      void query.refetch();
    },
  };
}

const other = (side: Side): Side => (side === 'before' ? 'after' : 'before');

const nobody = { instance: '', database: '', service: '', to_service: '' };

/**
 * Whether the answer to the same question has become another one while it was on view, because what it is about has
 * changed; until somebody has seen it.
 */
export function useUpdated(question: string, whatIf: WhatIf | null, isOutdated: boolean) {
  const print = whatIf === null || isOutdated ? null : whatIf.fingerprint;
  const [seen, setSeen] = useState<{ question: string; print: string } | null>(null);
  if (print !== null && seen?.question !== question) {
    setSeen({ question, print });
  }
  return {
    isUpdated: print !== null && seen?.question === question && seen.print !== print,
    see: () => {
      if (print !== null) {
        setSeen({ question, print });
      }
    },
  };
}
