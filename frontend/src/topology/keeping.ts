// A drawing that changes keeps its sides: whoever has found an instance on the left is to find it there after a route
// has come.
import type { Graph, InstanceBox } from './graph';
import { layoutQuestions, type ElkQuestion, type Layout, type Point } from './layout';
import { boxesOf } from './ways';

/** A graph as it was drawn. */
export type Drawn = { graph: Graph; layout: Layout };

/** How a drawing keeps to what was drawn before. */
export type Keeping = {
  question: ElkQuestion;
  /** Whether a layout has every instance on the side of every other on which it was. */
  isKept: (layout: Layout) => boolean;
};

/** How far from its neighbour a box begins that has come; the engine makes room for lines and labels. */
const apart = 60;

const keeping: Record<string, string> = {
  'elk.layered.cycleBreaking.strategy': 'INTERACTIVE',
  'elk.layered.layering.strategy': 'INTERACTIVE',
  'elk.layered.crossingMinimization.semiInteractive': 'true',
  'elk.layered.nodePlacement.strategy': 'INTERACTIVE',
  'elk.separateConnectedComponents': 'false',
};

/**
 * How a graph keeps to the places that its boxes had `before`; null when it is another drawing: when many instances
 * have come, or some are folded otherwise than before.
 */
export function keepingOf(graph: Graph, before: Drawn): Keeping | null {
  return isSameDrawing(graph, before.graph)
    ? { question: keptQuestion(graph, before), isKept: (layout) => keepsSides(graph, layout, before) }
    : null;
}

function keptQuestion(graph: Graph, before: Drawn): ElkQuestion {
  const [question] = layoutQuestions(graph);
  if (question === undefined) {
    throw new RangeError('questions');
  }
  const places = placesIn(graph, before.layout);
  return {
    ...question,
    layoutOptions: { ...question.layoutOptions, ...keeping },
    children: question.children.map((box) => {
      const { x, y } = places.get(box.id) ?? { x: 0, y: 0 };
      return { ...box, x, y, layoutOptions: { ...box.layoutOptions, 'elk.position': `(${x},${y})` } };
    }),
  };
}

/** Whether most instances of a graph were there before, and none is folded otherwise. */
export function isSameDrawing(graph: Graph, before: Graph): boolean {
  const drawn = new Map(before.instances.map((box): [string, InstanceBox] => [box.id, box]));
  const kept = graph.instances.filter(({ id }) => drawn.has(id));
  return (
    kept.length > 0 &&
    graph.instances.length - kept.length <= kept.length / 2 &&
    kept.every(({ id, isFolded }) => drawn.get(id)?.isFolded === isFolded)
  );
}

type Side = 'left' | 'right' | 'above' | 'below';

function keepsSides(graph: Graph, layout: Layout, before: Drawn): boolean {
  const drawn = new Map(before.graph.instances.map((box): [string, InstanceBox] => [box.id, box]));
  const kept = graph.instances.flatMap((now) => {
    const then = drawn.get(now.id);
    return then === undefined ? [] : [{ now, then }];
  });
  return kept.every((one, index) =>
    kept.slice(index + 1).every((other) => {
      const sides = sidesOf(one.then, other.then, before.layout);
      return sides.length === 0 || sidesOf(one.now, other.now, layout).some((side) => sides.includes(side));
    }),
  );
}

/** On which sides of another box one stands. */
function sidesOf(one: InstanceBox, other: InstanceBox, { boxes }: Layout): Side[] {
  const [at, there] = [boxes[one.id], boxes[other.id]];
  if (at === undefined || there === undefined) {
    return [];
  }
  return [
    ...(at.x + one.width <= there.x ? (['left'] as const) : []),
    ...(there.x + other.width <= at.x ? (['right'] as const) : []),
    ...(at.y + one.height <= there.y ? (['above'] as const) : []),
    ...(there.y + other.height <= at.y ? (['below'] as const) : []),
  ];
}

/** Where boxes were; one that has come stands beside what its line comes from, or leads to, else below all. */
export function placesIn(graph: Graph, { boxes: drawn, top, height }: Layout): Map<string, Point> {
  const boxes = boxesOf(graph);
  const places = new Map<string, Point>();
  for (const id of boxes.keys()) {
    const place = drawn[id];
    if (place !== undefined) {
      places.set(id, place);
    }
  }
  // Twice: what comes behind a fork that has come too.
  for (const { source, target } of [...graph.lines, ...graph.lines]) {
    const [from, to] = [places.get(source), places.get(target)];
    if (from !== undefined && to === undefined) {
      places.set(target, { x: from.x + (boxes.get(source)?.width ?? 0) + apart, y: from.y });
    } else if (from === undefined && to !== undefined) {
      places.set(source, { x: to.x - (boxes.get(source)?.width ?? 0) - apart, y: to.y });
    }
  }
  for (const id of boxes.keys()) {
    if (!places.has(id)) {
      places.set(id, { x: 0, y: top + height + apart });
    }
  }
  return places;
}
