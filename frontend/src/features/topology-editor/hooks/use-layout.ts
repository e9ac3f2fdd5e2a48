import { useEffect, useMemo, useRef, useState } from 'react';

import { layOut } from '@/lib/layout-engine';
import { isOnLiveMap, onLiveMap } from '@/topology/draft-map';
import type { Graph } from '@/topology/graph';
import { keepingOf, type Drawn, type Keeping } from '@/topology/keeping';
import { layoutQuestions, type Layout, type Point } from '@/topology/layout';
import { inColumns, opensInColumns, withPlaces } from '@/topology/placing';

type Laid = Drawn & { question: string };

/** What was drawn last of each estate, as long as the page is open: another page of it shows it on the same sides. */
const drawnLast = new Map<string, Drawn>();

export type LayoutResult = {
  /** The drawing to show: while a new one is being laid out, what is left of the last. Null before the first. */
  drawing: { graph: Graph; layout: Layout } | null;
  failure: string | null;
};

/**
 * Lays a graph out in the background. What changes neither boxes nor lines costs no new layout. The arrangement that
 * was the most compact at first is kept, so that an edit is drawn quickly and moves little, and no instance changes its
 * side. Boxes of `places` stand there. A draft is drawn upon `live`, the graph of what runs, whose boxes stay.
 */
export function useLayout(
  estate: string,
  shown: Graph,
  places: ReadonlyMap<string, Point>,
  live: Graph | null = null,
): LayoutResult {
  const base = live !== null && isOnLiveMap(shown, live) ? live : null;
  const { drawing, failure } = useArranged(estate, base ?? shown, places);
  return {
    drawing: useMemo(() => {
      if (drawing === null || base === null) {
        return drawing;
      }
      const layout = onLiveMap(shown, drawing);
      const isNew = (id: string) => drawing.layout.boxes[id] === undefined;
      return { graph: shown, layout: withPlaces(shown, layout, new Map([...places].filter(([id]) => isNew(id)))) };
    }, [drawing, base, shown, places]),
    failure,
  };
}

function useArranged(estate: string, graph: Graph, places: ReadonlyMap<string, Point>): LayoutResult {
  const question = useMemo(() => JSON.stringify(layoutQuestions(graph)[0]), [graph]);
  const [laid, setLaid] = useState<Laid | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const chosen = useRef<number | null>(null);

  useEffect(() => {
    let isWanted = true;
    const laying = opensInColumns(graph)
      ? Promise.resolve({ layout: inColumns(graph), arrangement: null })
      : layOut(layoutQuestions(graph), chosen.current, keepingIn(estate, graph));
    laying.then(
      ({ layout, arrangement }) => {
        if (isWanted) {
          chosen.current ??= arrangement;
          drawnLast.set(estate, { graph, layout });
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

  const drawing = useMemo(() => {
    if (laid === null) {
      return null;
    }
    const shown = laid.question === question ? graph : remainder(laid.graph, graph);
    return { graph: shown, layout: withPlaces(shown, laid.layout, places) };
  }, [laid, graph, question, places]);
  return { drawing, failure };
}

function keepingIn(estate: string, graph: Graph): Keeping | null {
  const before = drawnLast.get(estate);
  return before === undefined ? null : keepingOf(graph, before);
}

/** What of the old drawing is still so: what was deleted goes at once, what is new waits for its place. */
function remainder(old: Graph, current: Graph): Graph {
  const lines = new Set(current.lines.map((line) => line.id));
  const boxes = new Set([...current.instances, ...current.others].map((box) => box.id));
  return {
    instances: old.instances.filter((box) => boxes.has(box.id)),
    others: old.others.filter((box) => boxes.has(box.id)),
    lines: old.lines.filter((line) => lines.has(line.id)),
  };
}
