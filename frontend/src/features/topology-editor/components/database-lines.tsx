// The lines inside a database's row. They are shortcuts for the pointer: drawn small and at any zoom, they are no
// targets for fingers or keyboards. Those go by the row itself, whose details list the same services and routes.
import { IconCornerDownLeft } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import type { MouseEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { Hint } from '@/components/ui/hint';
import type { Route, Service } from '@/contracts/api';
import type { QueueRow } from '@/live/instance-view';
import { numberText } from '@/i18n';
import type { DraftMark } from '@/topology/draft-map';
import { shortId, shortServiceName } from '@/topology/words';

import classes from './database-node.module.css';

const nameCharacters = 25;
/** The bar is full at this depth; beyond it only the number tells. */
const fullBar = 100;

type Choice = { isSelected: boolean; onSelect: () => void };

type ShortcutProps = Choice & {
  label: string;
  className: string | undefined;
  isExpired?: boolean;
  draft?: DraftMark | undefined;
  children: ReactNode;
};

function Shortcut({ label, className, isSelected, isExpired = false, draft, onSelect, children }: ShortcutProps) {
  return (
    <Hint label={label}>
      {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
      <div
        className={`${className ?? ''} nopan`}
        data-selected={isSelected}
        data-expired={isExpired}
        data-draft={draft}
        onClick={(event: MouseEvent) => {
          event.stopPropagation();
          onSelect();
        }}
      >
        {children}
      </div>
    </Hint>
  );
}

/** A service with the depth of its queue. */
export function ServicePill({ service, queue, ...choice }: Choice & { service: Service; queue: QueueRow | undefined }) {
  const { t } = useTranslation('canvas');
  const depth = queue === undefined ? null : queue.ready + queue.disabled;
  return (
    <Shortcut
      {...choice}
      className={`${classes.line ?? ''} ${classes.pill ?? ''}`}
      label={queueWords(t, service, queue)}
    >
      <span className={classes.bar} style={{ width: `${Math.min(100, ((depth ?? 0) / fullBar) * 100)}%` }} />
      <span className={classes.service}>{shortServiceName(service.name, nameCharacters)}</span>
      <span className={classes.depth} data-unknown={depth === null} data-waiting={depth !== null && depth > 0}>
        {queue?.is_enabled === false ? t('node.off') : depth === null ? '?' : numberText(depth)}
      </span>
    </Shortcut>
  );
}

function queueWords(t: TFunction<'canvas'>, service: Service, queue: QueueRow | undefined): string {
  if (queue === undefined) {
    return t('node.pillUnknown', { service: service.name });
  }
  return queue.is_enabled
    ? t('node.pill', { service: service.name, count: queue.ready + queue.disabled, queue: service.queue })
    : t('node.pillOff', { service: service.name, queue: service.queue });
}

function localName(t: TFunction<'canvas'>, route: Route, draft: DraftMark | undefined): string {
  const { service_name: service } = route;
  const expired = route.is_expired ? 'yes' : 'no';
  const name =
    service === null
      ? t('node.localAny', { route: route.name, expired })
      : t('node.local', { route: route.name, service, expired });
  return draft === 'removed' ? t('name.removed', { name }) : name;
}

/** A route with address LOCAL: it leads nowhere but into this instance, so it stays inside the card. */
export function LocalRouteLine({ route, ...choice }: Choice & { route: Route; draft: DraftMark | undefined }) {
  const { t } = useTranslation('canvas');
  const service = route.service_name === null ? '∗' : shortServiceName(route.service_name, 21);
  return (
    <Shortcut
      {...choice}
      className={`${classes.line ?? ''} ${classes.local ?? ''}`}
      isExpired={route.is_expired}
      label={localName(t, route, choice.draft)}
    >
      <IconCornerDownLeft size={13} />
      <span className={classes.localWord}>{'LOCAL'}</span>
      <span className={classes.service}>{service}</span>
      {route.broker_instance !== null && <code>{shortId(route.broker_instance)}</code>}
    </Shortcut>
  );
}

/** The LOCAL route for any service and any id, small: nearly every database has it. */
export function CatchAllSign({ route, ...choice }: Choice & { route: Route; draft: DraftMark | undefined }) {
  const { t } = useTranslation('canvas');
  return (
    <Shortcut {...choice} className={classes.catchAll} label={localName(t, route, choice.draft)}>
      <IconCornerDownLeft size={14} />
    </Shortcut>
  );
}
