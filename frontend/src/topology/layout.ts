// Turns a graph into the question the layout engine understands, and its answer into places. Inside the cards
// everything has its place already, so the engine sees one box per card with fixed ports: 400 instances are 400 boxes.
import { ids, type Graph, type InstanceBox, type SmallBox } from './graph';
import type { RouteLabel } from './line-label';

export type Point = { x: number; y: number };

export type Layout = {
  /** Of the whole drawing, lines and labels included, and where it begins. */
  left: number;
  top: number;
  width: number;
  height: number;
  boxes: Readonly<Record<string, Point>>;
  lines: Readonly<Record<string, { points: readonly Point[]; label: Point | null }>>;
};

type ElkPort = {
  id: string;
  x: number;
  y: number;
  width: number;
  height: number;
  layoutOptions: Record<string, string>;
};
type ElkLabel = { text: string; width: number; height: number; layoutOptions: Record<string, string> };
type ElkBox = {
  id: string;
  width: number;
  height: number;
  ports: ElkPort[];
  layoutOptions: Record<string, string>;
};
type ElkLine = { id: string; sources: string[]; targets: string[]; labels: ElkLabel[] };

export type ElkQuestion = {
  id: string;
  layoutOptions: Record<string, string>;
  children: ElkBox[];
  edges: ElkLine[];
};

/** The part of the engine's answer that is read. */
export type ElkAnswer = {
  width?: number;
  height?: number;
  children?: { id: string; x?: number; y?: number }[];
  edges?: {
    id: string;
    labels?: { x?: number; y?: number }[];
    sections?: { startPoint: Point; bendPoints?: Point[]; endPoint: Point }[];
  }[];
};

const compaction = 'elk.layered.compaction.postCompaction.strategy';

const layoutOptions: Record<string, string> = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.separateConnectedComponents': 'true',
  'elk.aspectRatio': '1.7',
  'elk.spacing.nodeNode': '32',
  'elk.spacing.componentComponent': '48',
  'elk.spacing.edgeNode': '14',
  'elk.spacing.edgeEdge': '14',
  'elk.spacing.edgeLabel': '2',
  'elk.layered.spacing.nodeNodeBetweenLayers': '16',
  'elk.layered.spacing.edgeNodeBetweenLayers': '14',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '10',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  [compaction]: 'EDGE_LENGTH',
  'elk.padding': '[top=6,left=6,bottom=6,right=6]',
  'elk.randomSeed': '1',
};

/** Ways to arrange the same drawing. Which one comes out most compact depends on the estate, so both are tried. */
const arrangements: readonly Record<string, string>[] = [
  { 'elk.layered.layering.strategy': 'LONGEST_PATH', 'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES' },
  { 'elk.layered.layering.strategy': 'LONGEST_PATH' },
];

/** Beyond this many boxes one arrangement has to do: the second would cost as long as the first. */
const triedBoxesMax = 40;

function port(box: string, name: string, side: 'WEST' | 'EAST', x: number, y: number): ElkPort {
  return {
    id: `${box}:${name}`,
    x,
    y,
    width: 0,
    height: 0,
    layoutOptions: { 'elk.port.side': side },
  };
}

function instanceQuestion(box: InstanceBox): ElkBox {
  return {
    id: box.id,
    width: box.width,
    height: box.height,
    layoutOptions: { 'elk.portConstraints': 'FIXED_POS' },
    ports: [
      port(box.id, ids.portIn, 'WEST', 0, box.portY),
      ...(box.isFolded ? [port(box.id, ids.portOfAll, 'EAST', box.width, box.portY)] : []),
      ...box.databases.map((database) =>
        port(box.id, ids.portOut(database.path.database), 'EAST', box.width, outY(box, database.path.database)),
      ),
    ],
  };
}

/** Height on the right edge at which the routes of a database leave. */
export function outY(box: InstanceBox, database: string): number {
  const found = box.databases.find((one) => one.path.database === database);
  return found === undefined ? box.height / 2 : found.y + 18;
}

function smallQuestion(box: SmallBox): ElkBox {
  return {
    id: box.id,
    width: box.width,
    height: box.height,
    layoutOptions: { 'elk.portConstraints': 'FIXED_POS' },
    ports: [
      port(box.id, ids.portIn, 'WEST', 0, box.height / 2),
      ...(box.kind === 'fork' ? [port(box.id, 'fork', 'EAST', box.width, box.height / 2)] : []),
    ],
  };
}

/** Labels stand on their lines, and the layout leaves room for them. */
function labelQuestion(label: RouteLabel): ElkLabel {
  return {
    text: label.service,
    width: label.width,
    height: label.height,
    layoutOptions: { 'elk.edgeLabels.inline': 'true', 'elk.edgeLabels.placement': 'CENTER' },
  };
}

export function layoutQuestions(graph: Graph): ElkQuestion[] {
  const tried = graph.instances.length + graph.others.length <= triedBoxesMax ? arrangements : arrangements.slice(0, 1);
  const thoroughness = tried.length > 1 ? '20' : '7';
  return tried.map((arrangement) => ({
    id: 'estate',
    layoutOptions: { ...layoutOptions, 'elk.layered.thoroughness': thoroughness, ...arrangement },
    children: [...graph.instances.map(instanceQuestion), ...graph.others.map(smallQuestion)],
    edges: graph.lines.map((line) => ({
      id: line.id,
      sources: [`${line.source}:${line.sourcePort}`],
      targets: [`${line.target}:${line.targetPort}`],
      labels: line.label === null ? [] : [labelQuestion(line.label)],
    })),
  }));
}

export type Arranged = {
  layout: Layout;
  /** Which of the ways to arrange the drawing it is. */
  arrangement: number;
};

/**
 * The same question without the engine's last step, which now and then refuses boxes that it has itself placed closely.
 */
export function withoutCompaction(question: ElkQuestion): ElkQuestion {
  return { ...question, layoutOptions: { ...question.layoutOptions, [compaction]: 'NONE' } };
}

/**
 * The most compact of the answers, or that to the question `kept`. An arrangement that the engine cannot compact is
 * taken as it is before, so that the boxes keep their order; rejects with the engine's reason when not even that can be
 * had.
 */
export async function bestArranged(
  questions: readonly ElkQuestion[],
  kept: number | null,
  ask: (question: ElkQuestion) => Promise<Layout>,
): Promise<Arranged> {
  const tried = [...questions.keys()].filter((index) => kept === null || index === kept);
  const arrange = async (change: (question: ElkQuestion) => ElkQuestion) =>
    Promise.allSettled(
      tried.flatMap((arrangement) => {
        const question = questions[arrangement];
        return question === undefined ? [] : [ask(change(question)).then((layout) => ({ layout, arrangement }))];
      }),
    );
  const compacted = await arrange((question) => question);
  const settled = compacted.some(({ status }) => status === 'fulfilled') ? compacted : await arrange(withoutCompaction);
  const arranged = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const best = arranged.toSorted((one, other) => scaleOf(other.layout) - scaleOf(one.layout))[0];
  if (best === undefined) {
    const refused = settled.find((one) => one.status === 'rejected');
    throw refused?.reason ?? new RangeError('questions');
  }
  return best;
}

/** How large a layout can be shown in a frame of the usual shape. */
function scaleOf({ width, height }: Layout): number {
  return Math.min(usualFrame.width / width, usualFrame.height / height);
}

/** Pixels of the canvas on an ordinary screen. Always the same, so that a resized window moves nothing. */
const usualFrame = { width: 1200, height: 680 } as const;

export function readAnswer(answer: ElkAnswer): Layout {
  const boxes: Record<string, Point> = {};
  for (const box of answer.children ?? []) {
    boxes[box.id] = { x: box.x ?? 0, y: box.y ?? 0 };
  }
  const lines: Record<string, { points: Point[]; label: Point | null }> = {};
  for (const line of answer.edges ?? []) {
    const section = line.sections?.[0];
    if (section !== undefined) {
      const label = line.labels?.[0];
      lines[line.id] = {
        points: [section.startPoint, ...(section.bendPoints ?? []), section.endPoint],
        label: label?.x === undefined || label.y === undefined ? null : { x: label.x, y: label.y },
      };
    }
  }
  return { left: 0, top: 0, width: answer.width ?? 0, height: answer.height ?? 0, boxes, lines };
}
