import { ActionIcon, UnstyledButton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconActivityHeartbeat, IconArrowsDiagonal, IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { Link } from 'react-router';

import { LivePanel } from '@/features/live-view/components/live-panel';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter } from '@/hooks/use-view-state';
import { useLiveStore } from '@/lib/live-store';
import { counted } from '@/topology/words';

import classes from './live-drawer.module.css';

const heights = { least: 140, most: 640, step: 40, first: 280 };

const within = (height: number) => Math.min(heights.most, Math.max(heights.least, height));

/** The live tables below the drawing: a line that tells the backlog, or, opened, the tables themselves. */
export function LiveDrawer() {
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
    <section className={classes.drawer} style={{ height }} aria-label="Live">
      <Grip height={height} onResize={setHeight} />
      <LivePanel
        aside={
          <>
            <ActionIcon
              component={Link}
              to={`/estates/${encodeURIComponent(estate.name)}/live`}
              size={30}
              aria-label="Open as a page"
              title="Open as a page"
            >
              <IconArrowsDiagonal size={16} />
            </ActionIcon>
            <ActionIcon
              size={30}
              aria-label="Close the live panel"
              title="Close"
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
      ? 'nothing is known yet'
      : waiting === 0
        ? 'no message waits to be transmitted'
        : `${counted(waiting, 'message')} in transmission queues`;
  return (
    <UnstyledButton className={classes.closed} onClick={onOpen} aria-expanded={false}>
      <IconActivityHeartbeat size={16} />
      <strong>Live</strong>
      <span>{silent === '' ? words : `${words}; ${silent} does not answer`}</span>
      <IconChevronUp size={16} className={classes.chevron} />
    </UnstyledButton>
  );
}

/** The drawer's upper edge: dragged, or moved by the arrow keys. */
function Grip({ height, onResize }: { height: number; onResize: (height: number) => void }) {
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
      aria-label="Height of the live panel"
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
