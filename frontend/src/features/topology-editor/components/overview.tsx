import { MiniMap, useStore, type MiniMapNodeProps } from '@xyflow/react';
import { useTranslation } from 'react-i18next';

import { ids } from '@/topology/graph';

import type { CanvasNode } from '../flow-elements';
import type { DrawingSize } from '../fitting';
import classes from './topology-canvas.module.css';

/** The whole drawing in small, shown while only a part of it is in view. */
export function Overview({ size }: { size: DrawingSize }) {
  const { t } = useTranslation('canvas');
  const isPart = useStore(
    ({ transform: [, , zoom], width, height }) => size.width * zoom > width || size.height * zoom > height,
  );
  return (
    isPart && (
      <MiniMap<CanvasNode>
        style={{ width: 168, height: 112 }}
        pannable
        zoomable
        ariaLabel={t('controls.overview')}
        className={classes.minimap}
        nodeComponent={InstanceInSmall}
        bgColor="var(--bw-raised)"
      />
    )
  );
}

/** Only instances are large enough to be seen in small. */
function InstanceInSmall({ id, x, y, width, height }: MiniMapNodeProps) {
  return (
    id.startsWith(ids.instance('')) && (
      <rect x={x} y={y} width={width} height={height} rx={12} fill="var(--bw-border-strong)" />
    )
  );
}
