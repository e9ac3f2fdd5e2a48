import { IconArrowNarrowRight, IconServerOff } from '@tabler/icons-react';
import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';

import type { SmallNodeType } from '../flow-elements';
import { useZoomLevel } from '../hooks/use-zoom-level';
import classes from './small-nodes.module.css';

/** An address that belongs to no instance of the estate. */
export const GhostNode = memo(function GhostNode({ data, selected }: NodeProps<SmallNodeType>) {
  const level = useZoomLevel();
  return (
    <div className={classes.ghost} data-selected={selected} data-level={level} title={data.box.text}>
      <IconServerOff size={level === 'full' ? 17 : 24} />
      {level !== 'chip' && <span>{data.box.text.replace(/^tcp:\/\//i, '')}</span>}
    </div>
  );
});

/** TRANSPORT: the next hop stands at the start of each service's name, so the line ends open. */
export const TransportNode = memo(function TransportNode() {
  const level = useZoomLevel();
  return (
    <div className={classes.transport} data-level={level}>
      {level !== 'chip' && 'TRANSPORT'}
      <IconArrowNarrowRight size={18} />
    </div>
  );
});

/** Where a mirrored route parts into its two addresses. */
export const ForkNode = memo(function ForkNode() {
  return <div className={classes.fork} />;
});
