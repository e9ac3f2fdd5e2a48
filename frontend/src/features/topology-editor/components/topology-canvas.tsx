import { Background, BackgroundVariant, MiniMap, ReactFlow, useStore, type NodeChange, type EdgeChange } from '@xyflow/react';
import { useCallback, useEffect, useMemo, useRef, type KeyboardEvent, type ReactNode } from 'react';

import { EmptyState } from '@/components/ui/empty-state';
import { announce } from '@/hooks/use-announcer';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useFindingMarks } from '@/hooks/use-findings';
import { useSelection } from '@/hooks/use-view-state';
import { usePendingStore } from '@/lib/pending-store';
import { routeNames } from '@/topology/changes';
import { draftId } from '@/topology/draft-marks';
import { buildGraph, ids } from '@/topology/graph';
import { neighbour, type Direction } from '@/topology/neighbour';
import { formatSelection, type Selection } from '@/topology/selection';
import { zoomRange } from '@/topology/zoom';

import {
  canvasEdges,
  canvasNodes,
  selectionOfEdge,
  selectionOfNode,
  type CanvasEdge,
  type CanvasNode,
} from '../flow-elements';
import { useFit, type DrawingSize } from '../hooks/use-fit';
import { foldEvery, turnInstance, useFolding } from '../hooks/use-folding';
import { useKeepInView } from '../hooks/use-keep-in-view';
import { useLayout } from '../hooks/use-layout';
import { useZoomLevel } from '../hooks/use-zoom-level';
import { BundleEdge } from './bundle-edge';
import { CanvasControls } from './canvas-controls';
import { DatabaseNode } from './database-node';
import { InstanceNode } from './instance-node';
import { RouteEdge } from './route-edge';
import { ForkNode, GhostNode, TransportNode } from './small-nodes';
import classes from './topology-canvas.module.css';

const nodeTypes = {
  instance: InstanceNode,
  database: DatabaseNode,
  ghost: GhostNode,
  elsewhere: GhostNode,
  transport: TransportNode,
  fork: ForkNode,
};
const edgeTypes = { route: RouteEdge, bundle: BundleEdge };

/**
 * The estate as a drawing: instances, their databases, and the routes between them. A panel covers `covered` pixels of its right, and
 * `panel` is the button that opens and closes it.
 */
export function TopologyCanvas({ covered, panel }: { covered: number; panel: ReactNode }) {
  const estate = useEstatePage();
  const [selection, select] = useSelection();
  const pendingChanges = usePendingStore((store) => store.pending[estate.name]);
  const folding = useFolding(estate);
  const graph = useMemo(() => buildGraph(estate, folding.isFolded), [estate, folding]);
  const { drawing, failure } = useLayout(graph);
  const marks = useFindingMarks();
  const selected = selection === null ? null : formatSelection(selection);

  const elements = useMemo(() => {
    const pending = new Set([
      ...(pendingChanges ?? []).map(({ change }) => ids.route(change.scope, routeNames(change).after ?? '')),
      ...estate.draft_objects.map(draftId),
    ]);
    return drawing === null
      ? null
      : {
          size: { width: drawing.layout.width, height: drawing.layout.height },
          nodes: canvasNodes(drawing.graph, drawing.layout, selected, pending, marks),
          edges: canvasEdges(drawing.graph, drawing.layout, selected, pending, marks),
        };
  }, [drawing, selected, pendingChanges, estate.draft_objects, marks]);

  if (elements === null) {
    return (
      <EmptyState>
        {failure === null ? 'Laying out the topology…' : `The topology could not be laid out: ${failure}. The list of routes beside it is complete.`}
      </EmptyState>
    );
  }
  return <Drawing key={estate.name} {...elements} covered={covered} panel={panel} isAnyFolded={folding.isAnyFolded} onSelect={select} />;
}

type DrawingProps = {
  nodes: CanvasNode[];
  edges: CanvasEdge[];
  size: DrawingSize;
  covered: number;
  panel: ReactNode;
  isAnyFolded: boolean;
  onSelect: (selection: Selection | null) => void;
};

function Drawing({ nodes, edges, size, covered, panel, isAnyFolded, onSelect }: DrawingProps) {
  const estate = useEstatePage();
  const { fit, onMove } = useFit(size, covered);
  useFitOnNewInstances(nodes, fit);
  useKeepInView({ nodes, edges }, covered);
  const level = useZoomLevel();

  const choose = useCallback(
    (selection: Selection | null, name: string | undefined) => {
      onSelect(selection);
      announce(name === undefined ? 'Nothing selected' : `Selected: ${name}`);
    },
    [onSelect],
  );

  // The keyboard selects through these changes; the pointer does so too, so that both take one path.
  const onNodesChange = (changes: NodeChange<CanvasNode>[]) => {
    const chosen = changes.find((change) => change.type === 'select' && change.selected);
    const node = chosen?.type === 'select' ? nodes.find((one) => one.id === chosen.id) : undefined;
    if (node !== undefined) {
      choose(selectionOfNode(node), node.ariaLabel);
    }
  };
  const onEdgesChange = (changes: EdgeChange<CanvasEdge>[]) => {
    const chosen = changes.find((change) => change.type === 'select' && change.selected);
    const edge = chosen?.type === 'select' ? edges.find((one) => one.id === chosen.id) : undefined;
    if (edge !== undefined) {
      choose(selectionOfEdge(edge), edge.ariaLabel);
    }
  };

  return (
    <section
      className={classes.canvas}
      data-level={level}
      aria-label="Topology. Tab moves between instances, databases and routes, arrow keys to the nearest one, Enter selects, and unfolds a folded instance. The outline holds the same."
      onKeyDownCapture={(event) => {
        moveFocus(event, nodes);
        const folded = event.key === 'Enter' ? foldedInstance(event, nodes) : null;
        if (folded !== null) {
          turnInstance(estate, folded);
        }
      }}
    >
      <ReactFlow<CanvasNode, CanvasEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onPaneClick={() => {
          choose(null, undefined);
        }}
        onMove={onMove}
        minZoom={zoomRange.min}
        maxZoom={zoomRange.max}
        onlyRenderVisibleElements
        nodesDraggable={false}
        nodesConnectable={false}
        elevateNodesOnSelect={false}
        multiSelectionKeyCode={null}
        selectionKeyCode={null}
        deleteKeyCode={null}
        zoomOnDoubleClick={false}
        disableKeyboardA11y={false}
        proOptions={{ hideAttribution: true }}
      >
        <Background variant={BackgroundVariant.Dots} gap={24} size={1.2} color="var(--bw-border)" />
        <Overview size={size} />
        <CanvasControls
          onFit={fit}
          isAnyFolded={isAnyFolded}
          onFoldAll={(isAllFolded) => {
            foldEvery(estate, isAllFolded);
          }}
          panel={panel}
        />
      </ReactFlow>
    </section>
  );
}

/** The whole drawing in small, shown while only a part of it is in view. */
function Overview({ size }: { size: DrawingSize }) {
  const isPart = useStore(({ transform: [, , zoom], width, height }) => size.width * zoom > width || size.height * zoom > height);
  return (
    isPart && (
      <MiniMap<CanvasNode>
        style={{ width: 168, height: 112 }}
        pannable
        zoomable
        ariaLabel="Overview of the topology"
        className={classes.minimap}
        nodeColor={(node) => (node.type === 'instance' ? 'var(--bw-border-strong)' : 'transparent')}
        nodeStrokeWidth={0}
        nodeBorderRadius={12}
        maskColor="color-mix(in srgb, var(--bw-page) 65%, transparent)"
        bgColor="var(--bw-raised)"
      />
    )
  );
}

/** Fits the view when instances come or go; a route that is added must not move what one looks at. */
function useFitOnNewInstances(nodes: readonly CanvasNode[], fit: (milliseconds: number) => void): void {
  const instances = nodes.filter((node) => node.type === 'instance').length;
  const fitted = useRef(instances);
  useEffect(() => {
    if (fitted.current !== instances) {
      fitted.current = instances;
      fit(0);
    }
  }, [instances, fit]);
}

const arrows: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

/** Arrow keys go from a focused card or row to the nearest one of its kind. */
function moveFocus(event: KeyboardEvent<HTMLElement>, nodes: readonly CanvasNode[]): void {
  const direction = arrows[event.key];
  const element = event.target instanceof Element ? event.target.closest('.react-flow__node') : null;
  const here = nodes.find((node) => node.id === element?.getAttribute('data-id'));
  if (direction === undefined || here === undefined || element !== event.target) {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  const placed = nodes
    .filter((node) => (node.type === 'database') === (here.type === 'database') && node.focusable !== false)
    .map((node) => ({ id: node.id, centre: centreOf(node, nodes) }));
  const next = neighbour(placed, { id: here.id, centre: centreOf(here, nodes) }, direction);
  if (next !== null) {
    event.currentTarget.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(next)}"]`)?.focus();
  }
}

/** The instance of the card that has the focus, if it is folded: Enter unfolds it. */
function foldedInstance(event: KeyboardEvent<HTMLElement>, nodes: readonly CanvasNode[]): string | null {
  const id = event.target instanceof Element ? event.target.getAttribute('data-id') : null;
  const node = nodes.find((one) => one.id === id);
  return node?.type === 'instance' && node.data.box.isFolded ? node.data.box.instance.name : null;
}

function centreOf(node: CanvasNode, nodes: readonly CanvasNode[]): { x: number; y: number } {
  const parent = nodes.find((one) => one.id === node.parentId);
  return {
    x: (parent?.position.x ?? 0) + node.position.x + (node.width ?? 0) / 2,
    y: (parent?.position.y ?? 0) + node.position.y + (node.height ?? 0) / 2,
  };
}
