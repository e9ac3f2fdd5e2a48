import { notifications } from '@mantine/notifications';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { arrange } from '@/lib/layout-engine';
import type { Graph } from '@/topology/graph';
import { layoutQuestions, type Layout, type Point } from '@/topology/layout';
import { partOf, putBack, withPlaces } from '@/topology/placing';

import type { CanvasNode } from '../flow-elements';
import type { Positions } from './use-positions';

/**
 * Arranges a drawing, or some instances of it, by its routes, on command: in the background, to be cancelled, and as
 * one move that can be taken back.
 */
export function useArranging(graph: Graph, { places, move }: Positions, nodes: readonly CanvasNode[]) {
  const { t } = useTranslation('canvas');
  const [seconds, setSeconds] = useState<number | null>(null);
  const running = useRef<AbortController | null>(null);
  const isRunning = seconds !== null;
  useEffect(() => {
    if (!isRunning) {
      return;
    }
    const clock = setInterval(() => {
      setSeconds((passed) => (passed === null ? null : passed + 1));
    }, 1000);
    return () => {
      clearInterval(clock);
    };
  }, [isRunning]);
  // Who leaves the page wants no more of it.
  useEffect(() => () => running.current?.abort(), []);

  const begin = async (chosen: ReadonlySet<string> | null) => {
    const part = chosen === null ? graph : partOf(graph, chosen);
    const [question] = layoutQuestions(part);
    if (question === undefined || running.current !== null) {
      return;
    }
    const control = new AbortController();
    running.current = control;
    setSeconds(0);
    try {
      const arranged = await arrange(question, control.signal);
      const at = new Map(
        nodes.flatMap(({ id, parentId, position }) => (parentId === undefined ? [[id, position]] : [])),
      );
      move(chosen === null ? whole(graph, arranged, places) : putBack(part, arranged, graph, at));
    } catch (error) {
      if (!control.signal.aborted) {
        notifications.show({
          title: t('arranging.failed'),
          message: `${error instanceof Error ? error.message : String(error)} ${t('arranging.kept')}`,
          color: 'red',
          autoClose: false,
        });
      }
    } finally {
      running.current = null;
      setSeconds(null);
    }
  };
  return {
    seconds,
    /**
     * Of some instances, by the ids of their boxes, or of all: those that somebody has put somewhere then stay there.
     */
    begin: (chosen: ReadonlySet<string> | null) => void begin(chosen),
    cancel: () => {
      running.current?.abort();
    },
  };
}

function whole(graph: Graph, arranged: Layout, places: Positions['places']): Map<string, Point> {
  const kept = places ?? new Map<string, Point>();
  const { boxes } = withPlaces(graph, arranged, kept);
  return new Map(Object.entries(boxes).filter(([id]) => !kept.has(id)));
}
