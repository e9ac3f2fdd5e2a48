import { useEffect, useMemo, useState } from 'react';

import { layOut } from '@/lib/layout-engine';
import type { Graph } from '@/topology/graph';
import { layoutQuestions, type Layout } from '@/topology/layout';

type Laid = { question: string; graph: Graph; layout: Layout };

export type LayoutResult = {
  /** The drawing to show: while a new one is being laid out, still the last. Null before the first. */
  drawing: { graph: Graph; layout: Layout } | null;
  failure: string | null;
};

/** Lays a graph out in the background. What changes neither boxes nor lines costs no new layout. */
export function useLayout(graph: Graph): LayoutResult {
  const question = useMemo(() => JSON.stringify(layoutQuestions(graph)[0]), [graph]);
  const [laid, setLaid] = useState<Laid | null>(null);
  const [failure, setFailure] = useState<string | null>(null);

  useEffect(() => {
    let isWanted = true;
    layOut(layoutQuestions(graph)).then(
      (layout) => {
        if (isWanted) {
          setLaid({ question, graph, layout });
          setFailure(null);
        }
      },
      (error: unknown) => {
        if (isWanted) {
          setFailure(error instanceof Error ? error.message : String(error));
        }
      },
    );
    return () => {
      isWanted = false;
    };
    // The question stands for the graph: an equal question has an equal answer.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [question]);

  const drawing = useMemo(
    () => (laid === null ? null : { graph: laid.question === question ? graph : laid.graph, layout: laid.layout }),
    [laid, graph, question],
  );
  return { drawing, failure };
}
