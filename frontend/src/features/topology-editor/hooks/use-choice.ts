import type { NodeChange } from '@xyflow/react';
import { useTranslation } from 'react-i18next';

import { announce } from '@/hooks/use-announcer';
import type { useSelection } from '@/hooks/use-view-state';
import type { Selection } from '@/topology/selection';

import { selectionOfEdge, selectionOfNode, type CanvasEdge, type CanvasNode } from '../flow-elements';

/** Keyboard and pointer both select through the changes that the drawing tells, so that both take one path. */
export function useChoice(onSelect: ReturnType<typeof useSelection>[1]) {
  const { t } = useTranslation('canvas');
  const choose = (selection: Selection | null, name: string | undefined) => {
    onSelect(selection);
    announce(name === undefined ? t('nothingSelected') : t('selected', { name }));
  };
  return {
    nothing: () => {
      choose(null, undefined);
    },
    node: (changes: readonly NodeChange<CanvasNode>[], nodes: readonly CanvasNode[]) => {
      const chosen = changes.find((change) => change.type === 'select' && change.selected);
      const node = chosen?.type === 'select' ? nodes.find((one) => one.id === chosen.id) : undefined;
      if (node !== undefined) {
        choose(selectionOfNode(node), node.ariaLabel);
      }
    },
    edge: (edge: CanvasEdge) => {
      choose(selectionOfEdge(edge), edge.name);
    },
  };
}
