import { Tooltip, UnstyledButton } from '@mantine/core';
import { IconCornerDownLeft } from '@tabler/icons-react';

import type { Route, Service } from '@/contracts/api';
import type { QueueRow } from '@/contracts/live-messages';
import { counted, shortId, shortServiceName } from '@/topology/words';

import classes from './database-node.module.css';

const nameCharacters = 25;
/** The bar is full at this depth; beyond it only the number tells. */
const fullBar = 100;

type Choice = { isSelected: boolean; onSelect: () => void };

/** A service with the depth of its queue. */
export function ServicePill({ service, queue, isSelected, onSelect }: Choice & { service: Service; queue: QueueRow | undefined }) {
  const depth = queue === undefined ? null : queue.ready + queue.disabled;
  const words =
    queue === undefined
      ? 'queue depth unknown'
      : queue.is_enabled
        ? `${counted(queue.ready + queue.disabled, 'message')} in ${service.queue}`
        : `${service.queue} is disabled`;
  return (
    <Tooltip label={`${service.name} — ${words}`} multiline maw={420}>
      <UnstyledButton
        className={`${classes.line} ${classes.pill} nopan`}
        data-selected={isSelected}
        aria-label={`Service ${service.name}, ${words}`}
        aria-pressed={isSelected}
        onClick={(event) => {
          event.stopPropagation();
          onSelect();
        }}
      >
        <span className={classes.bar} style={{ width: `${Math.min(100, ((depth ?? 0) / fullBar) * 100)}%` }} />
        <span className={classes.service}>{shortServiceName(service.name, nameCharacters)}</span>
        <span className={classes.depth} data-unknown={depth === null} data-waiting={depth !== null && depth > 0}>
          {queue?.is_enabled === false ? 'off' : (depth ?? '?').toLocaleString('en')}
        </span>
      </UnstyledButton>
    </Tooltip>
  );
}

/** A route with address LOCAL: it leads nowhere but into this instance, so it stays inside the card. */
export function LocalRouteLine({ route, isPending, isSelected, onSelect }: Choice & { route: Route; isPending: boolean }) {
  const service = route.service_name === null ? '∗' : shortServiceName(route.service_name, 21);
  const expired = route.is_expired ? ', expired' : '';
  return (
    <Tooltip label={`Route ${route.name}: ${route.service_name ?? 'any service'} → LOCAL${expired}`} multiline maw={420}>
      <UnstyledButton
        className={`${classes.line} ${classes.local} nopan`}
        data-selected={isSelected}
        data-expired={route.is_expired}
        data-pending={isPending}
        aria-label={`Route ${route.name}, ${route.service_name ?? 'any service'}, to LOCAL${expired}`}
        aria-pressed={isSelected}
        onClick={(event) => {
          event.stopPropagation();
          onSelect();
        }}
      >
        <IconCornerDownLeft size={13} />
        <span className={classes.localWord}>LOCAL</span>
        <span className={classes.service}>{service}</span>
        {route.broker_instance !== null && <code>{shortId(route.broker_instance)}</code>}
      </UnstyledButton>
    </Tooltip>
  );
}

/** The LOCAL route for any service and any id, small: nearly every database has it. */
export function CatchAllSign({ route, isPending, isSelected, onSelect }: Choice & { route: Route; isPending: boolean }) {
  return (
    <Tooltip label={`Route ${route.name}: any service → LOCAL`}>
      <UnstyledButton
        className={`${classes.catchAll} nopan`}
        data-selected={isSelected}
        data-pending={isPending}
        aria-label={`Route ${route.name}, any service, to LOCAL`}
        aria-pressed={isSelected}
        onClick={(event) => {
          event.stopPropagation();
          onSelect();
        }}
      >
        <IconCornerDownLeft size={14} />
      </UnstyledButton>
    </Tooltip>
  );
}
