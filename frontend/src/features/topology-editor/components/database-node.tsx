import { IconDatabase, IconDatabaseOff, IconLogin2 } from '@tabler/icons-react';
import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';

import { Hint } from '@/components/ui/hint';
import { FindingMark } from '@/components/severity-sign';
import type { Database } from '@/contracts/api';
import type { DatabaseView } from '@/live/instance-view';
import { useHiddenLayers } from '@/hooks/use-layers';
import { useSelection } from '@/hooks/use-view-state';
import { numberText } from '@/i18n';
import { useLiveStore } from '@/lib/live-store';
import { ids } from '@/topology/graph';
import { formatSelection } from '@/topology/selection';
import { shortId } from '@/topology/words';

import type { DatabaseNodeType } from '../flow-elements';
import { useBacklogAge } from '../hooks/use-backlog-age';
import { useZoomLevel } from '../hooks/use-zoom-level';
import classes from './database-node.module.css';
import { CatchAllSign, LocalRouteLine, ServicePill } from './database-lines';
import { MirrorRole } from './mirror-role';

/** A database as a row of its instance's card; msdb, the gate, is flush with the card's left edge. */
export const DatabaseNode = memo(function DatabaseNode({ data, selected }: NodeProps<DatabaseNodeType>) {
  const { t } = useTranslation(['canvas', 'common']);
  const { box, draft, mark } = data;
  const { path, database } = box;
  const level = useZoomLevel();
  const view = useLiveStore((store) =>
    store.live.instances[path.instance]?.view?.databases.find((one) => one.name === path.database),
  );
  const [selection, select] = useSelection();
  const hidden = useHiddenLayers();
  const age = useBacklogAge(path.instance, path.database);
  if (level === 'chip') {
    return null;
  }
  const selectedText = selection === null ? null : formatSelection(selection);
  return (
    <div
      className={classes.row}
      data-level={level}
      data-age={age}
      data-gate={box.isGate}
      data-selected={selected}
      data-disabled={!database.is_broker_enabled}
    >
      <div className={classes.head}>
        <DatabaseSign database={database} isGate={box.isGate} size={level === 'card' ? 20 : 15} />
        <span className={classes.name}>{path.database}</span>
        {database.partner_address !== null && !hidden.has('mirrors') && (
          <MirrorRole path={path} database={database} partner={database.partner_address} />
        )}
        <span className={classes.aside}>
          <FindingMark mark={mark} size={level === 'card' ? 19 : 14} />
          {level === 'full' && box.catchAll !== null && (
            <CatchAllSign
              route={box.catchAll}
              draft={draft.get(ids.route(path, box.catchAll.name))}
              isSelected={selectedText === formatSelection({ kind: 'route', ...path, route: box.catchAll.name })}
              onSelect={() => {
                select({ kind: 'route', ...path, route: box.catchAll?.name ?? '' });
              }}
            />
          )}
          {level === 'full' && (
            <Hint label={`broker_instance ${database.broker_instance}`}>
              <code>{shortId(database.broker_instance)}</code>
            </Hint>
          )}
          <Backlog view={view} />
        </span>
      </div>
      {level === 'full' ? (
        <Lines data={data} view={view} selected={selectedText} />
      ) : (
        box.height > 60 && (
          <div className={classes.summary}>
            {database.services.length > 0
              ? t('common:services', { count: database.services.length })
              : t('common:routes', { count: database.routes.length })}
          </div>
        )
      )}
    </div>
  );
});

type LinesProps = { data: DatabaseNodeType['data']; view: DatabaseView | undefined; selected: string | null };

/** Services with their queues, and LOCAL routes; or how many of them are hidden, since their room stays. */
function Lines({ data: { box, draft }, view, selected: selectedText }: LinesProps) {
  const { t } = useTranslation('canvas');
  const [, select] = useSelection();
  const hidden = useHiddenLayers();
  const { path } = box;
  const count = box.services.length + box.servicesHidden + box.localRoutes.length + box.localRoutesHidden;
  if (hidden.has('services')) {
    return count > 0 && <div className={classes.more}>{t('layers.within', { count })}</div>;
  }
  return (
    <>
      {box.services.map((service) => (
        <ServicePill
          key={service.name}
          service={service}
          queue={view?.queues?.find((queue) => queue.name === service.queue)}
          isSelected={selectedText === formatSelection({ kind: 'service', ...path, service: service.name })}
          onSelect={() => {
            select({ kind: 'service', ...path, service: service.name });
          }}
        />
      ))}
      {box.servicesHidden > 0 && (
        <div className={classes.more}>{t('node.moreServices', { count: box.servicesHidden })}</div>
      )}
      {box.localRoutes.map((route) => (
        <LocalRouteLine
          key={route.name}
          route={route}
          draft={draft.get(ids.route(path, route.name))}
          isSelected={selectedText === formatSelection({ kind: 'route', ...path, route: route.name })}
          onSelect={() => {
            select({ kind: 'route', ...path, route: route.name });
          }}
        />
      ))}
      {box.localRoutesHidden > 0 && (
        <div className={classes.more}>{t('node.moreLocal', { count: box.localRoutesHidden })}</div>
      )}
    </>
  );
}

function DatabaseSign({ database, isGate, size }: { database: Database; isGate: boolean; size: number }) {
  const { t } = useTranslation('canvas');
  const Sign = database.is_broker_enabled ? (isGate ? IconLogin2 : IconDatabase) : IconDatabaseOff;
  const state = database.is_broker_enabled ? 'enabled' : 'disabled';
  return (
    <Hint label={isGate ? t(`node.${state}Gate`) : t(`node.${state}`)}>
      <Sign size={size} className={classes.sign} />
    </Hint>
  );
}

/** Messages in the transmission queue: nothing when there are none, a question mark when that is not known. */
function Backlog({ view }: { view: DatabaseView | undefined }) {
  const { t } = useTranslation('canvas');
  if (view === undefined || view.transmission_queue_total === 0) {
    return null;
  }
  const { held, blocked, transmission_queue_total: count } = view;
  return (
    <Hint label={held === null ? t('node.backlog', { count }) : t('node.backlogHeld', { count, status: held.text })}>
      <span className={classes.backlog} data-held={blocked > 0}>
        ↑{numberText(count)}
      </span>
    </Hint>
  );
}
