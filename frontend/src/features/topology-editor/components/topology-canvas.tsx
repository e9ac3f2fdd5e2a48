import { Panel, ReactFlow, useReactFlow } from '@xyflow/react';
import { useMemo, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import { announce } from '@/hooks/use-announcer';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useFindingMarks } from '@/hooks/use-findings';
import { useHiddenLayers } from '@/hooks/use-layers';
import { useMarked } from '@/hooks/use-marked';
import { useFollowed } from '@/hooks/use-topics';
import { useSelection } from '@/hooks/use-view-state';
import { useHeatStore } from '@/lib/heat-store';
import { usePathStore } from '@/lib/path-store';
import type { Marks } from '@/topology/findings';
import type { Graph } from '@/topology/graph';
import type { Point } from '@/topology/layout';
import type { ShownPath } from '@/topology/path';
import { formatSelection, type Selection } from '@/topology/selection';
import { zoomRange } from '@/topology/zoom';

import { focusedNode } from '../canvas-focus';
import { fitted, type DrawingSize } from '../fitting';
import {
  canvasEdges,
  canvasNodes,
  selectionOfEdge,
  selectionOfNode,
  withLayers,
  withMarked,
  withMarkedBoxes,
  withPath,
  withSelected,
  type CanvasEdge,
  type CanvasNode,
} from '../flow-elements';
import { useArranging } from '../hooks/use-arranging';
import { useCanvasKeyboard, useSingleKeysOff } from '../hooks/use-canvas-keyboard';
import { useChoice } from '../hooks/use-choice';
import { useDraftMap, type DraftMap } from '../hooks/use-draft-map';
import { useFit, useFitOnNewInstances } from '../hooks/use-fit';
import { foldEvery, turnInstance, useFolding } from '../hooks/use-folding';
import { useFitToPath } from '../hooks/use-fit-to-path';
import { useFrame } from '../hooks/use-frame';
import { useKeepInView } from '../hooks/use-keep-in-view';
import { useLayout } from '../hooks/use-layout';
import { useMarking } from '../hooks/use-marking';
import { isMovable, useMoving } from '../hooks/use-moving';
import { usePositions, type Positions } from '../hooks/use-positions';
import { useToldSizes } from '../hooks/use-told-sizes';
import { useLevelOfView, ZoomLevelContext } from '../hooks/use-zoom-level';
import { CanvasControls } from './canvas-controls';
import { DatabaseNode } from './database-node';
import { Dots } from './dots';
import { HeatLayer } from './heat-layer';
import { InstanceNode } from './instance-node';
import { KeyMap } from './key-map';
import { HiddenNotice, LayerMenu } from './layer-menu';
import { LineLayer } from './line-layer';
import { LiveOverlay } from './live-overlay';
import { MarkBar } from './mark-bar';
import { MoveBar } from './move-bar';
import { MoveTools } from './move-tools';
import { Overview } from './overview';
import { PathLayer } from './path-layer';
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

type Props = {
  /** Pixels of its right that a panel covers. */
  covered: number;
  /** The buttons that open and close what stands beside it. */
  panel: ReactNode;
  /** On a page that only explains, nothing is moved or arranged. */
  isForReading?: boolean;
  /** Delete was pressed. */
  onDelete: (selection: Selection | null) => void;
};

/** The estate as a drawing: instances, their databases, and the routes between them. */
export function TopologyCanvas(props: Props) {
  const { t } = useTranslation('canvas');
  const estate = useEstatePage();
  useFollowed(estate.name, ['queues', 'transmissions']);
  const folding = useFolding(estate);
  const map = useDraftMap(estate, folding.isFolded);
  // The page of a draft that is opened by its address does not move when what runs is known.
  return map === null ? (
    <EmptyState>{t('laying')}</EmptyState>
  ) : (
    <LaidOut {...props} map={map} isAnyFolded={folding.isAnyFolded} />
  );
}

function LaidOut({ map, ...props }: Props & { map: DraftMap; isAnyFolded: boolean }) {
  const { t, i18n } = useTranslation('canvas');
  const estate = useEstatePage();
  const [selection, select] = useSelection();
  const { graph, live, draft } = map;
  const positions = usePositions();
  const { drawing, failure } = useLayout(estate.name, graph, positions.places ?? nowhere, live);
  const hidden = useHiddenLayers();
  const found = useFindingMarks();
  const marks = hidden.has('findings') ? unmarked : found;
  const selected = selection === null ? null : formatSelection(selection);

  const elements = useMemo(
    () =>
      drawing === null
        ? null
        : {
            graph: drawing.graph,
            size: drawing.layout,
            nodes: canvasNodes(drawing.graph, drawing.layout, draft, marks),
            edges: canvasEdges(drawing.graph, drawing.layout, draft, marks),
          },
    // The names of boxes and lines are words: another language makes them anew.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [drawing, draft, marks, i18n.language],
  );
  const chosen = useMemo(
    () => (elements === null ? null : { ...elements, ...withLayers(withSelected(elements, selected), hidden) }),
    [elements, selected, hidden],
  );

  if (chosen === null || positions.places === null) {
    return <EmptyState>{failure === null ? t('laying') : t('failed', { reason: failure })}</EmptyState>;
  }
  return <Drawing key={estate.name} {...chosen} {...props} failure={failure} positions={positions} onSelect={select} />;
}

const nowhere: ReadonlyMap<string, Point> = new Map();
const unmarked: Marks = new Map();

type DrawingProps = Props & {
  graph: Graph;
  nodes: CanvasNode[];
  edges: CanvasEdge[];
  size: DrawingSize;
  failure: string | null;
  positions: Positions;
  isAnyFolded: boolean;
  onSelect: ReturnType<typeof useSelection>[1];
};

function Drawing(props: DrawingProps) {
  const { graph, size, covered, positions, failure, isAnyFolded, isForReading = false, onSelect } = props;
  const { t } = useTranslation('canvas');
  const estate = useEstatePage();
  const moving = useMoving(graph, props, positions);
  const { boxes: markedBoxes } = useMarked();
  const path = usePathStore((store) => store.path);
  const heat = useHeat();
  const { nodes, edges } = usePathIn(moving, path, markedBoxes);
  const arranging = useArranging(graph, positions, nodes);
  const { routes: markedRoutes, clear: clearMarked, ask } = useMarked();
  const marking = useMarking({ nodes, edges });
  const { fit, onMove } = useFit(size, covered);
  useFitOnNewInstances(nodes, fit);
  useFitToPath(path, { nodes, edges });
  useKeepInView({ nodes, edges }, covered);
  const level = useLevelOfView();
  // A chip stands for its databases: they are neither drawn nor reached by the keyboard.
  const drawn = useMemo(
    () => (level === 'chip' ? nodes.filter(({ type }) => type !== 'database') : nodes),
    [nodes, level],
  );
  const { screenToFlowPosition } = useReactFlow();
  useToldSizes();
  const { element, frame } = useFrame();
  const [isMapOpen, setMapOpen] = useState(false);
  const [isLayersOpen, setLayersOpen] = useState(false);
  const [isSingleOff, setSingleOff] = useSingleKeysOff();
  const chosen = nodes.find((node) => node.selected === true);
  const choose = useChoice((selection, others) => {
    clearMarked();
    onSelect(selection, others);
  });
  const openKeys = () => {
    setMapOpen(true);
  };
  const onKeyDown = useCanvasKeyboard({
    nodes,
    edges,
    moving,
    fit,
    isSingleOff,
    help: openKeys,
    layers: () => {
      setLayersOpen(true);
    },
    unfold: (node) => {
      if (node.type !== 'instance' || !node.data.box.isFolded) {
        return false;
      }
      turnInstance(estate, node.data.box.instance.name);
      return true;
    },
    connect: (here) => {
      const node = here ?? chosen;
      if (node?.type === 'database' && positions.missing === null && !isForReading) {
        onSelect({ kind: 'database', ...node.data.box.path }, { edit: 'add' });
      }
    },
    move: (here) => {
      const node = here ?? chosen;
      if (node !== undefined && !isForReading) {
        moving.begin(node);
      }
    },
    remove: () => {
      if (markedRoutes.size > 0) {
        ask('delete');
      } else {
        props.onDelete(edgeOrNode(nodes, edges));
      }
    },
    mark: marking.turn,
    markAll: marking.all,
    unmark: marking.clear,
    unselect: choose.nothing,
    undoMove: positions.undo,
    redoMove: positions.redo,
  });

  return (
    <section
      ref={element}
      className={classes.canvas}
      data-level={level}
      data-moving={moving.moving !== null}
      data-traced={path !== null}
      aria-label={t('about')}
      // The arrow keys begin here.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onFocusCapture={(event) => {
        const node = focusedNode(event.target, nodes);
        if (node?.ariaLabel !== undefined) {
          announce(
            node.type !== 'instance' && node.type !== 'database'
              ? node.ariaLabel
              : node.data.mark === undefined
                ? t('announced', { name: node.ariaLabel })
                : node.ariaLabel,
          );
        }
      }}
      onKeyDownCapture={onKeyDown}
      onMouseDownCapture={marking.onMouseDown}
      onClickCapture={marking.onClick}
    >
      <ZoomLevelContext value={level}>
        {frame !== null && (
          <ReactFlow<CanvasNode>
            nodes={drawn}
            nodeTypes={nodeTypes}
            {...(frame.width > 0 ? { defaultViewport: fitted(size, frame) } : {})}
            onNodesChange={(changes) => {
              moving.onDrag(changes);
              choose.node(changes, nodes);
            }}
            onPaneClick={(event) => {
              if (moving.moving === null) {
                choose.nothing();
              } else {
                moving.putAt(screenToFlowPosition({ x: event.clientX, y: event.clientY }));
              }
            }}
            onMove={onMove}
            minZoom={zoomRange.min}
            maxZoom={zoomRange.max}
            onlyRenderVisibleElements
            nodesDraggable={positions.missing === null && !isForReading}
            nodeDragThreshold={4}
            selectNodesOnDrag={false}
            nodesConnectable={false}
            elevateNodesOnSelect={false}
            multiSelectionKeyCode={null}
            selectionKeyCode={null}
            deleteKeyCode={null}
            zoomOnDoubleClick={false}
            disableKeyboardA11y={false}
            ariaLabelConfig={{
              'node.a11yDescription.default': t('controls.box'),
              'edge.a11yDescription.default': t('controls.line'),
            }}
            proOptions={{ hideAttribution: true }}
          >
            {level !== 'chip' && <Dots />}
            {path === null && heat === null && <LiveOverlay edges={edges} covered={covered} />}
            {path === null && heat !== null && <HeatLayer heat={heat} nodes={nodes} edges={edges} covered={covered} />}
            <LineLayer edges={edges} onChoose={choose.edge} />
            {path !== null && <PathLayer path={path} size={size} nodes={nodes} edges={edges} />}
            {path === null && <Overview size={size} />}
            <CanvasControls
              onFit={fit}
              isAnyFolded={isAnyFolded}
              onFoldAll={(isAllFolded) => {
                foldEvery(estate, isAllFolded);
              }}
              panel={
                <>
                  {props.panel}
                  <LayerMenu isOpen={isLayersOpen} onOpen={setLayersOpen} />
                </>
              }
            />
            {!isForReading && (
              <MoveTools
                arranging={arranging}
                graph={graph}
                positions={positions}
                onKeys={openKeys}
                onMove={
                  isMovable(chosen)
                    ? () => {
                        moving.begin(chosen);
                      }
                    : null
                }
              />
            )}
            {failure !== null && (
              <Panel position="top-center" className={classes.notice} role="status">
                {t('stale', { reason: failure })}
              </Panel>
            )}
            {!isForReading && <MarkBar onArrange={arranging.begin} />}
            <Panel position="bottom-center">
              <HiddenNotice />
            </Panel>
            {moving.moving !== null && (
              <MoveBar
                name={moving.moving}
                onStep={moving.stepBy}
                onDone={() => {
                  moving.end(true);
                }}
                onCancel={() => {
                  moving.end(false);
                }}
              />
            )}
          </ReactFlow>
        )}
      </ZoomLevelContext>
      {marking.band !== null && <div className={classes.band} style={marking.band} />}
      <KeyMap
        isOpen={isMapOpen}
        onClose={() => {
          setMapOpen(false);
        }}
        isSingleOff={isSingleOff}
        onSingleOff={setSingleOff}
      />
    </section>
  );
}

/** What a run has found out about this estate; what it found out about others is none of this drawing's. */
function useHeat() {
  const { name } = useEstatePage();
  return useHeatStore(({ heat }) => (heat?.estate === name ? heat : null));
}

/** The drawing with what is selected together with others, and with the way of a message. */
function usePathIn(
  { nodes, edges }: ReturnType<typeof useMoving>,
  path: ShownPath | null,
  markedBoxes: ReadonlySet<string>,
) {
  const { routes } = useMarked();
  const markedNodes = useMemo(() => withMarkedBoxes(nodes, markedBoxes), [nodes, markedBoxes]);
  const markedEdges = useMemo(() => withMarked(edges, routes), [edges, routes]);
  return useMemo(() => withPath({ nodes: markedNodes, edges: markedEdges }, path), [markedNodes, markedEdges, path]);
}

/** What is selected in the drawing. */
function edgeOrNode(nodes: readonly CanvasNode[], edges: readonly CanvasEdge[]): Selection | null {
  const edge = edges.find((one) => one.kind === 'route' && one.isSelected);
  const node = nodes.find((one) => one.selected === true);
  return edge !== undefined ? selectionOfEdge(edge) : node === undefined ? null : selectionOfNode(node);
}
