import { Tooltip } from '@mantine/core';
import { IconArrowForwardUp, IconChevronDown, IconChevronRight, IconRefreshAlert } from '@tabler/icons-react';
import { Handle, Position, type NodeProps } from '@xyflow/react';
import { memo } from 'react';

import { FindingMark } from '@/components/severity-sign';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { Instance } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useLiveStore } from '@/lib/live-store';
import { instanceHealth } from '@/live/health';
import { ids } from '@/topology/graph';
import { isBehind } from '@/topology/lookup';
import { counted } from '@/topology/words';

import type { InstanceNodeType } from '../flow-elements';
import { turnInstance } from '../hooks/use-folding';
import { useZoomLevel } from '../hooks/use-zoom-level';
import classes from './instance-node.module.css';

/** An instance as a card. Its databases are nodes of their own, laid upon it. */
export const InstanceNode = memo(function InstanceNode({ data, selected }: NodeProps<InstanceNodeType>) {
  const { instance, databases, isFolded } = data.box;
  const level = useZoomLevel();
  const live = useLiveStore((store) => store.live.instances[instance.name]);
  const health = instanceHealth(instance.name, live);
  const backlog = live?.view?.databases.reduce((sum, database) => sum + database.transmission_queue_total, 0);
  const endpoint = instance.endpoint;
  return (
    <div className={classes.card} data-level={level} data-selected={selected} data-stopped={endpoint?.state !== 'STARTED'}>
      <Handle id={ids.portIn} type="target" position={Position.Left} className={classes.handle} style={{ top: data.box.portY }} />
      {isFolded && (
        <Handle id={ids.portOfAll} type="source" position={Position.Right} className={classes.handle} style={{ top: data.box.portY }} />
      )}
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
        <FoldSign instance={instance.name} isFolded={isFolded} />
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
      {isFolded && level !== 'chip' && (
        <div className={classes.summary} data-level={level}>
          {level === 'full' ? contents(instance) : counted(instance.databases.length, 'database')}
        </div>
      )}
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

/** A shortcut for the pointer; with the keyboard, Enter on the card unfolds it, and the details offer both. */
function FoldSign({ instance, isFolded }: { instance: string; isFolded: boolean }) {
  const estate = useEstatePage();
  const Sign = isFolded ? IconChevronRight : IconChevronDown;
  return (
    <Tooltip label={isFolded ? `Unfold ${instance}` : `Fold ${instance}`}>
      {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
      <span
        className={`${classes.fold ?? ''} nopan`}
        onClick={(event) => {
          event.stopPropagation();
          turnInstance(estate, instance);
        }}
      >
        <Sign size={20} />
      </span>
    </Tooltip>
  );
}

function contents({ databases }: Instance): string {
  const services = databases.reduce((sum, database) => sum + database.services.length, 0);
  const routes = databases.reduce((sum, database) => sum + database.routes.length, 0);
  return [counted(databases.length, 'database'), counted(services, 'service'), counted(routes, 'route')].join(' · ');
}
