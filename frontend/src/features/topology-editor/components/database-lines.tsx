// The lines inside a database's row. They are shortcuts for the pointer: drawn small and at any zoom, they are no
// targets for fingers or keyboards. Those go by the row itself, whose details list the same services and routes.
import { Tooltip } from '@mantine/core';
import { IconCornerDownLeft } from '@tabler/icons-react';
import type { MouseEvent, ReactNode } from 'react';

import type { Route, Service } from '@/contracts/api';
import type { QueueRow } from '@/contracts/live-messages';
import { counted, shortId, shortServiceName } from '@/topology/words';

import classes from './database-node.module.css';

const nameCharacters = 25;
/** The bar is full at this depth; beyond it only the number tells. */
const fullBar = 100;

type Choice = { isSelected: boolean; onSelect: () => void };

type ShortcutProps = Choice & {
  label: string;
  className: string | undefined;
  isExpired?: boolean;
  isPending?: boolean;
  children: ReactNode;
};

function Shortcut({ label, className, isSelected, isExpired = false, isPending = false, onSelect, children }: ShortcutProps) {
  return (
    <Tooltip label={label} multiline maw={420} events={{ hover: true, focus: false, touch: false }}>
      {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
      <div
        className={`${className ?? ''} nopan`}
        data-selected={isSelected}
        data-expired={isExpired}
        data-pending={isPending}
        onClick={(event: MouseEvent) => {
          event.stopPropagation();
          onSelect();
        }}
      >
        {children}
      </div>
    </Tooltip>
  );
}

/** A service with the depth of its queue. */
export function ServicePill({ service, queue, ...choice }: Choice & { service: Service; queue: QueueRow | undefined }) {
  const depth = queue === undefined ? null : queue.ready + queue.disabled;
  return (
    <Shortcut {...choice} className={`${classes.line ?? ''} ${classes.pill ?? ''}`} label={`${service.name}: ${queueWords(service, queue)}`}>
      <span className={classes.bar} style={{ width: `${Math.min(100, ((depth ?? 0) / fullBar) * 100)}%` }} />
      <span className={classes.service}>{shortServiceName(service.name, nameCharacters)}</span>
      <span className={classes.depth} data-unknown={depth === null} data-waiting={depth !== null && depth > 0}>
        {queue?.is_enabled === false ? 'off' : (depth ?? '?').toLocaleString('en')}
      </span>
    </Shortcut>
  );
}

function queueWords(service: Service, queue: QueueRow | undefined): string {
  if (queue === undefined) {
    return 'queue depth unknown';
  }
  return queue.is_enabled ? `${counted(queue.ready + queue.disabled, 'message')} in ${service.queue}` : `${service.queue} is disabled`;
}

/** A route with address LOCAL: it leads nowhere but into this instance, so it stays inside the card. */
export function LocalRouteLine({ route, ...choice }: Choice & { route: Route; isPending: boolean }) {
  const service = route.service_name === null ? '∗' : shortServiceName(route.service_name, 21);
  const expired = route.is_expired ? ', expired' : '';
  return (
    <Shortcut
      {...choice}
      className={`${classes.line ?? ''} ${classes.local ?? ''}`}
      isExpired={route.is_expired}
      label={`Route ${route.name}: ${route.service_name ?? 'any service'} to LOCAL${expired}`}
    >
      <IconCornerDownLeft size={13} />
      <span className={classes.localWord}>LOCAL</span>
      <span className={classes.service}>{service}</span>
      {route.broker_instance !== null && <code>{shortId(route.broker_instance)}</code>}
    </Shortcut>
  );
}

/** The LOCAL route for any service and any id, small: nearly every database has it. */
export function CatchAllSign({ route, ...choice }: Choice & { route: Route; isPending: boolean }) {
  return (
    <Shortcut {...choice} className={classes.catchAll} label={`Route ${route.name}: any service to LOCAL`}>
      <IconCornerDownLeft size={14} />
    </Shortcut>
  );
}
