import { ActionIcon, UnstyledButton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconActivityHeartbeat, IconArrowsDiagonal, IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { LivePanel } from '@/features/live-view/components/live-panel';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter } from '@/hooks/use-view-state';
import { useLiveStore } from '@/lib/live-store';

import classes from './live-drawer.module.css';

const heights = { least: 140, most: 640, step: 40, first: 280 };

const within = (height: number) => Math.min(heights.most, Math.max(heights.least, height));

/** The live tables below the drawing: a line that tells the backlog, or, opened, the tables themselves. */
export function LiveDrawer() {
  const { t } = useTranslation(['shell', 'common']);
  const estate = useEstatePage();
  const [drawer, setDrawer] = useParameter('drawer');
  const [height, setHeight] = useLocalStorage({ key: 'brokerweb.drawer-height', defaultValue: heights.first });
  if (drawer !== 'live') {
    return (
      <ClosedDrawer
        onOpen={() => {
          setDrawer('live');
        }}
      />
    );
  }
  return (
    <section className={classes.drawer} style={{ height }} aria-label={t('drawer.label')}>
      <Grip height={height} onResize={setHeight} />
      <LivePanel
        aside={
          <>
            <ActionIcon
              component={Link}
              to={`/estates/${encodeURIComponent(estate.name)}/live`}
              size={30}
              aria-label={t('drawer.asPage')}
              title={t('drawer.asPage')}
            >
              <IconArrowsDiagonal size={16} />
            </ActionIcon>
            <ActionIcon
              size={30}
              aria-label={t('drawer.close')}
              title={t('common:close')}
              onClick={() => {
                setDrawer(null);
              }}
            >
              <IconChevronDown size={18} />
            </ActionIcon>
          </>
        }
      />
    </section>
  );
}

function ClosedDrawer({ onOpen }: { onOpen: () => void }) {
  const { t } = useTranslation('shell');
  const waiting = useLiveStore(({ live }) => {
    const views = Object.values(live.instances).flatMap((one) => (one.view === null ? [] : [one.view]));
    return views.length === 0
      ? null
      : views.flatMap((view) => view.databases).reduce((sum, database) => sum + database.transmission_queue_total, 0);
  });
  const silent = useLiveStore(({ live }) =>
    Object.entries(live.instances)
      .filter(([, one]) => one.view === null && one.unavailable !== null)
      .map(([name]) => name)
      .join(', '),
  );
  const words =
    waiting === null
      ? t('drawer.unknown')
      : waiting === 0
        ? t('drawer.empty')
        : t('drawer.waiting', { count: waiting });
  return (
    <UnstyledButton className={classes.closed} onClick={onOpen} aria-expanded={false}>
      <IconActivityHeartbeat size={16} />
      <strong>{t('drawer.label')}</strong>
      <span>{silent === '' ? words : t('drawer.silent', { words, names: silent })}</span>
      <IconChevronUp size={16} className={classes.chevron} />
    </UnstyledButton>
  );
}

/** The drawer's upper edge: dragged, or moved by the arrow keys. */
function Grip({ height, onResize }: { height: number; onResize: (height: number) => void }) {
  const { t } = useTranslation('shell');
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) {
      onResize(within(height - event.movementY));
    }
  };
  const press = (event: KeyboardEvent) => {
    const move = event.key === 'ArrowUp' ? heights.step : event.key === 'ArrowDown' ? -heights.step : 0;
    if (move !== 0) {
      event.preventDefault();
      onResize(within(height + move));
    }
  };
  return (
    // A separator that can be moved is a control, whatever its role sounds like.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="separator"
      aria-orientation="horizontal"
      aria-label={t('drawer.height')}
      aria-valuenow={height}
      aria-valuemin={heights.least}
      aria-valuemax={heights.most}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className={classes.grip}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
      onKeyDown={press}
    />
  );
}
