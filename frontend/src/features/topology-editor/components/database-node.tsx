import { Tooltip } from '@mantine/core';
import { IconDatabase, IconDatabaseOff, IconLogin2 } from '@tabler/icons-react';
import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';

import { FindingMark } from '@/components/severity-sign';
import type { Database } from '@/contracts/api';
import type { DatabaseView } from '@/contracts/live-messages';
import { useSelection } from '@/hooks/use-view-state';
import { useLiveStore } from '@/lib/live-store';
import { ids } from '@/topology/graph';
import { formatSelection } from '@/topology/selection';
import { counted, shortId } from '@/topology/words';

import type { DatabaseNodeType } from '../flow-elements';
import { useZoomLevel } from '../hooks/use-zoom-level';
import classes from './database-node.module.css';
import { CatchAllSign, LocalRouteLine, ServicePill } from './database-lines';

/** A database as a row of its instance's card; msdb, the gate, is flush with the card's left edge. */
export const DatabaseNode = memo(function DatabaseNode({ data, selected }: NodeProps<DatabaseNodeType>) {
  const { box, pending, mark } = data;
  const { path, database } = box;
  const level = useZoomLevel();
  const view = useLiveStore((store) =>
    store.live.instances[path.instance]?.view?.databases.find((one) => one.name === path.database),
  );
  const [selection, select] = useSelection();
  if (level === 'chip') {
    return null;
  }
  const selectedText = selection === null ? null : formatSelection(selection);
  return (
    <div
      className={classes.row}
      data-level={level}
      data-gate={box.isGate}
      data-selected={selected}
      data-disabled={!database.is_broker_enabled}
    >
      <div className={classes.head}>
        <DatabaseSign database={database} isGate={box.isGate} size={level === 'card' ? 20 : 15} />
        <span className={classes.name}>{path.database}</span>
        {database.partner_address !== null && <MirrorRole isMirror={database.state === 'mirror'} partner={database.partner_address} />}
        <span className={classes.aside}>
          <FindingMark mark={mark} size={level === 'card' ? 19 : 14} />
          {level === 'full' && box.catchAll !== null && (
            <CatchAllSign
              route={box.catchAll}
              isPending={pending.has(ids.route(path, box.catchAll.name))}
              isSelected={selectedText === formatSelection({ kind: 'route', ...path, route: box.catchAll.name })}
              onSelect={() => {
                select({ kind: 'route', ...path, route: box.catchAll?.name ?? '' });
              }}
            />
          )}
          {level === 'full' && (
            <Tooltip label={`broker_instance ${database.broker_instance}`}>
              <code>{shortId(database.broker_instance)}</code>
            </Tooltip>
          )}
          <Backlog view={view} />
        </span>
      </div>
      {level === 'full' ? (
        <>
          {box.services.map((service) => (
            <ServicePill
              key={service.name}
              service={service}
              queue={view?.queues.find((queue) => queue.name === service.queue)}
              isSelected={selectedText === formatSelection({ kind: 'service', ...path, service: service.name })}
              onSelect={() => {
                select({ kind: 'service', ...path, service: service.name });
              }}
            />
          ))}
          {box.servicesHidden > 0 && <div className={classes.more}>and {counted(box.servicesHidden, 'more service', 'more services')}</div>}
          {box.localRoutes.map((route) => (
            <LocalRouteLine
              key={route.name}
              route={route}
              isPending={pending.has(ids.route(path, route.name))}
              isSelected={selectedText === formatSelection({ kind: 'route', ...path, route: route.name })}
              onSelect={() => {
                select({ kind: 'route', ...path, route: route.name });
              }}
            />
          ))}
          {box.localRoutesHidden > 0 && <div className={classes.more}>and {counted(box.localRoutesHidden, 'more LOCAL route')}</div>}
        </>
      ) : (
        box.height > 60 && (
          <div className={classes.summary}>
            {database.services.length > 0 ? counted(database.services.length, 'service') : counted(database.routes.length, 'route')}
          </div>
        )
      )}
    </div>
  );
});

function DatabaseSign({ database, isGate, size }: { database: Database; isGate: boolean; size: number }) {
  const Sign = database.is_broker_enabled ? (isGate ? IconLogin2 : IconDatabase) : IconDatabaseOff;
  const text = database.is_broker_enabled ? 'Broker enabled' : 'Broker disabled';
  return (
    <Tooltip label={isGate ? `${text}; what arrives from the network is routed by this database's table` : text}>
      <Sign size={size} className={classes.sign} />
    </Tooltip>
  );
}

/** Half of a mirrored pair: P for the principal, M for the mirror. */
function MirrorRole({ isMirror, partner }: { isMirror: boolean; partner: string }) {
  return (
    <Tooltip label={`${isMirror ? 'Mirror' : 'Principal'} of a mirrored pair; its partner is ${partner}`}>
      <span className={classes.mirror} data-mirror={isMirror}>
        {isMirror ? 'M' : 'P'}
      </span>
    </Tooltip>
  );
}

/** Messages in the transmission queue: nothing when there are none, a question mark when that is not known. */
function Backlog({ view }: { view: DatabaseView | undefined }) {
  if (view === undefined || view.transmission_queue_total === 0) {
    return null;
  }
  const held = view.transmission_queue.find((row) => row.transmission_status_number !== null);
  const label = `${counted(view.transmission_queue_total, 'message')} in the transmission queue`;
  return (
    <Tooltip label={held === undefined ? label : `${label}: ${held.transmission_status}`}>
      <span className={classes.backlog} data-held={held !== undefined}>
        ↑{view.transmission_queue_total.toLocaleString('en')}
      </span>
    </Tooltip>
  );
}
