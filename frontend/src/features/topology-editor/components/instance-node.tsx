import { Tooltip } from '@mantine/core';
import { IconArrowForwardUp, IconRefreshAlert } from '@tabler/icons-react';
import { Handle, Position, type NodeProps } from '@xyflow/react';
import { memo } from 'react';

import { FindingMark } from '@/components/severity-sign';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import { useLiveStore } from '@/lib/live-store';
import { instanceHealth } from '@/live/health';
import { ids } from '@/topology/graph';
import { isBehind } from '@/topology/lookup';

import type { InstanceNodeType } from '../flow-elements';
import { useZoomLevel } from '../hooks/use-zoom-level';
import classes from './instance-node.module.css';

/** An instance as a card. Its databases are nodes of their own, laid upon it. */
export const InstanceNode = memo(function InstanceNode({ data, selected }: NodeProps<InstanceNodeType>) {
  const { instance, databases } = data.box;
  const level = useZoomLevel();
  const live = useLiveStore((store) => store.live.instances[instance.name]);
  const health = instanceHealth(instance.name, live);
  const backlog = live?.view?.databases.reduce((sum, database) => sum + database.transmission_queue_total, 0);
  const endpoint = instance.endpoint;
  return (
    <div className={classes.card} data-level={level} data-selected={selected} data-stopped={endpoint?.state !== 'STARTED'}>
      <Handle id={ids.portIn} type="target" position={Position.Left} className={classes.handle} style={{ top: data.box.portY }} />
      {databases.map(({ path, y }) => (
        <Handle
          key={path.database}
          id={ids.portOut(path.database)}
          type="source"
          position={Position.Right}
          className={classes.handle}
          style={{ top: y + 18 }}
        />
      ))}
      <header className={classes.header}>
        <Tooltip label={health.text}>
          <span className={classes.health}>
            <VerdictIcon verdict={health.verdict} size={level === 'chip' ? 34 : level === 'card' ? 22 : 16} />
          </span>
        </Tooltip>
        <strong className={classes.name}>{instance.name}</strong>
        {level !== 'chip' && (
          <>
            <span className={classes.port}>{endpoint === null ? 'no endpoint' : `:${endpoint.port}`}</span>
            <span className={classes.signs}>
              <FindingMark mark={data.mark} size={level === 'card' ? 21 : 15} />
              {isBehind(instance) && (
                <Tooltip label={`Revision ${instance.desired_revision} wanted, ${instance.applied_revision} applied`}>
                  <IconRefreshAlert size={18} className={classes.drift} />
                </Tooltip>
              )}
              {level === 'full' && endpoint !== null && endpoint.state !== 'STARTED' && (
                <span className={classes.stopped}>{endpoint.state.toLowerCase()}</span>
              )}
              {endpoint?.is_message_forwarding_enabled === true && (
                <Tooltip label="Message forwarding is enabled">
                  <span className={classes.forwarding}>
                    <IconArrowForwardUp size={14} stroke={2.4} />
                    {level === 'full' && 'forwards'}
                  </span>
                </Tooltip>
              )}
            </span>
          </>
        )}
      </header>
      {level === 'chip' && (
        <div className={classes.chip}>
          <span className={classes.chipName}>
            <VerdictIcon verdict={health.verdict} size={38} />
            {instance.name}
            <FindingMark mark={data.mark} size={36} />
          </span>
          <small>{backlog === undefined ? 'unknown' : backlog === 0 ? 'no backlog' : `${backlog.toLocaleString('en')} waiting`}</small>
        </div>
      )}
    </div>
  );
});
