import { IconArrowForwardUp, IconChevronDown, IconChevronRight, IconRefreshAlert } from '@tabler/icons-react';
import type { NodeProps } from '@xyflow/react';
import type { TFunction } from 'i18next';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';

import { Hint } from '@/components/ui/hint';
import { FindingMark } from '@/components/severity-sign';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { Instance } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useHiddenLayers } from '@/hooks/use-layers';
import { useLiveStore } from '@/lib/live-store';
import { instanceHealth } from '@/live/health';
import { isBehind } from '@/topology/lookup';
import type { ZoomLevel } from '@/topology/zoom';

import type { InstanceNodeType } from '../flow-elements';
import { turnInstance } from '../hooks/use-folding';
import { useBacklogAge } from '../hooks/use-backlog-age';
import { useZoomLevel } from '../hooks/use-zoom-level';
import classes from './instance-node.module.css';

/** From this height on, in units of the drawing, a chip has room for a second line. */
const chipLine = 122;

/** An instance as a card. Its databases are nodes of their own, laid upon it. */
export const InstanceNode = memo(function InstanceNode({ data, selected }: NodeProps<InstanceNodeType>) {
  const { instance, isFolded } = data.box;
  const level = useZoomLevel();
  // Databases that are drawn have rings of their own.
  const age = useBacklogAge(instance.name);
  const ring = isFolded || level === 'chip' ? age : undefined;
  return (
    <div
      className={classes.card}
      data-level={level}
      data-age={ring}
      data-selected={selected}
      data-stopped={instance.endpoint?.state !== 'STARTED'}
    >
      {level === 'chip' ? <Chip data={data} /> : <Head data={data} level={level} />}
      {isFolded && level !== 'chip' && <Summary instance={instance} level={level} />}
    </div>
  );
});

type Data = { data: InstanceNodeType['data'] };

function useLive(instance: Instance) {
  const live = useLiveStore((store) => store.live.instances[instance.name]);
  return {
    health: instanceHealth(instance.name, live),
    backlog: live?.view?.databases.reduce((sum, database) => sum + database.transmission_queue_total, 0),
  };
}

/** What is told of an instance where there is room for its name only. */
function Chip({ data: { box, mark } }: Data) {
  const { t } = useTranslation('canvas');
  const { health, backlog } = useLive(box.instance);
  return (
    <div className={classes.chip}>
      <span className={classes.chipName}>
        <VerdictIcon verdict={health.verdict} size={38} />
        {box.instance.name}
        <FindingMark mark={mark} size={36} />
      </span>
      {box.height > chipLine && (
        <small>{backlog === undefined ? t('node.unknown') : t('node.chip', { count: backlog })}</small>
      )}
    </div>
  );
}

function Head({ data: { box, mark }, level }: Data & { level: ZoomLevel }) {
  const { t } = useTranslation('canvas');
  const { instance, isFolded } = box;
  const { endpoint } = instance;
  const { health } = useLive(instance);
  const hidden = useHiddenLayers();
  return (
    <header className={classes.header}>
      <FoldSign instance={instance.name} isFolded={isFolded} />
      <Hint label={health.text}>
        <span className={classes.health}>
          <VerdictIcon verdict={health.verdict} size={level === 'card' ? 22 : 16} />
        </span>
      </Hint>
      <span className={classes.title}>
        <strong className={classes.name}>{instance.name}</strong>
        <span className={classes.port}>{endpoint === null ? t('node.noEndpoint') : `:${endpoint.port}`}</span>
      </span>
      <span className={classes.signs}>
        <FindingMark mark={mark} size={level === 'card' ? 21 : 15} />
        {isBehind(instance) && (
          <Hint label={t('node.behind', { desired: instance.desired_revision, applied: instance.applied_revision })}>
            <IconRefreshAlert size={18} className={classes.drift} />
          </Hint>
        )}
        {level === 'full' && endpoint !== null && endpoint.state !== 'STARTED' && (
          <span className={classes.stopped}>{t('node.endpointState', { state: endpoint.state })}</span>
        )}
        {endpoint?.is_message_forwarding_enabled === true && !hidden.has('forwarding') && (
          <Hint label={t('node.forwarding')}>
            <span className={classes.forwarding}>
              <IconArrowForwardUp size={14} stroke={2.4} />
              {level === 'full' && t('node.forwards')}
            </span>
          </Hint>
        )}
      </span>
    </header>
  );
}

function Summary({ instance, level }: { instance: Instance; level: ZoomLevel }) {
  const { t } = useTranslation(['canvas', 'common']);
  return (
    <div className={classes.summary} data-level={level}>
      {level === 'full' ? contents(t, instance) : t('common:databases', { count: instance.databases.length })}
    </div>
  );
}

/** A shortcut for the pointer; with the keyboard, Enter on the card unfolds it, and the details offer both. */
function FoldSign({ instance, isFolded }: { instance: string; isFolded: boolean }) {
  const { t } = useTranslation('canvas');
  const estate = useEstatePage();
  const Sign = isFolded ? IconChevronRight : IconChevronDown;
  return (
    <Hint label={isFolded ? t('node.unfold', { name: instance }) : t('node.fold', { name: instance })}>
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
    </Hint>
  );
}

function contents(t: TFunction<'canvas'>, { databases }: Instance): string {
  const services = databases.reduce((sum, database) => sum + database.services.length, 0);
  const routes = databases.reduce((sum, database) => sum + database.routes.length, 0);
  return t('node.contents', { databases: databases.length, services, routes });
}
