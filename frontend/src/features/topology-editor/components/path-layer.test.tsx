import { screen } from '@testing-library/react';
import { ReactFlow, ReactFlowProvider } from '@xyflow/react';
import { describe, expect, it } from 'vitest';

import { there } from '@/testing/answers';
import { demoEstate } from '@/testing/demo-estate';
import { render } from '@/testing/render';
import { buildGraph } from '@/topology/graph';
import { endBoxes, pathHops, type ShownPath } from '@/topology/path';
import { inColumns } from '@/topology/placing';

import { canvasEdges, canvasNodes, withPath } from '../flow-elements';
import { PathLayer } from './path-layer';

const graph = buildGraph(demoEstate());
const layout = inColumns(graph);
const drawing = {
  nodes: canvasNodes(graph, layout, new Map(), new Map()),
  edges: canvasEdges(graph, layout, new Map(), new Map()),
};
const path: ShownPath = {
  hops: pathHops(there.hops),
  all: pathHops(there.hops),
  now: 1,
  losers: new Set(),
  end: { verdict: 'delivered', word: 'Delivered', boxes: endBoxes(there) },
};

describe('the drawing with a way in it', () => {
  const { nodes, edges } = withPath(drawing, path);
  const classOf = (id: string) => nodes.find((node) => node.id === id)?.className?.trim();

  it('tells boxes on the way, the table that is read, and what is beside it in the same card', () => {
    expect(classOf('instance/HUB')).toBe('onpath');
    expect(classOf('database/PARIS/Ventes')).toBe('onpath reading');
    expect(classOf('database/PARIS/msdb')).toBe('beside');
    expect(classOf('instance/LYON')).toBeUndefined();
    expect(classOf('database/LYON/msdb')).toBeUndefined();
  });

  it('leaves lines that are not on the way the same objects, so that they are not drawn again', () => {
    const changed = edges.filter((edge, index) => edge !== drawing.edges[index]).map(({ id, part }) => `${id} ${part}`);
    expect(changed.sort()).toEqual(['route/HUB/msdb/ToBerlin on', 'route/PARIS/Ventes/VersBerlin now']);
    expect(withPath(drawing, null)).toEqual(drawing);
  });
});

describe('what is laid over the drawing', () => {
  const shown = (more: Partial<ShownPath> = {}) => {
    const told = { ...path, ...more };
    const size = { left: 0, top: 0, width: 100, height: 100 };
    render(
      <ReactFlowProvider>
        <ReactFlow nodes={[]}>
          <PathLayer path={told} size={size} {...withPath(drawing, told)} />
        </ReactFlow>
      </ReactFlowProvider>,
    );
    return [...document.querySelectorAll('[data-hop]')].map(({ textContent }) => textContent);
  };

  it('numbers the hops and flags the end', () => {
    expect(shown()).toEqual(['1', '2', '3']);
    expect(screen.getByText('Delivered')).toHaveAttribute('data-flag', 'delivered');
  });

  it('has no flag while the message is under way, and numbers the hops that it has gone', () => {
    expect(shown({ hops: path.hops.slice(0, 2), end: null })).toEqual(['1', '2']);
    expect(document.querySelector('[data-flag]')).toBeNull();
  });
});
