import { Button, Skeleton } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter } from '@/hooks/use-view-state';
import { useLiveStore } from '@/lib/live-store';
import { livenessOf, livenessWords, refusalWords } from '@/live/liveness';

import { noActions, ViewActionsContext, type LiveActions } from '../actions';
import { fetchViews, views, type ViewName } from '../views/registry';
import { InstanceStrip } from './instance-strip';
import { ViewBar } from './view-bar';
import classes from './view-bar.module.css';

/** The view that is open comes first. */
const restMilliseconds = 1_000;

/**
 * The live views of an estate, one at a time, below the way from one to another; `actions` is what each offers to do.
 */
export function LiveViews({ view, actions }: { view: ViewName; actions: LiveActions }) {
  const { t } = useTranslation('views');
  const estate = useEstatePage();
  const [shows, setShows] = useParameter('instances');
  const live = useLiveStore((store) => store.live);
  const liveness = useLiveStore((store) =>
    livenessOf(
      store,
      estate.instances.map(({ name }) => name),
    ),
  );
  const isOpen = shows !== null;
  useEffect(() => {
    const timer = setTimeout(fetchViews, restMilliseconds);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  const Sign = isOpen ? IconChevronUp : IconChevronDown;
  const View = views[view];
  return (
    <div className={classes.page}>
      <div className={classes.head}>
        <ViewBar />
        <Button
          size="compact-xs"
          variant="subtle"
          aria-expanded={isOpen}
          rightSection={<Sign size={14} />}
          onClick={() => {
            setShows(isOpen ? null : 'shown');
          }}
        >
          {t('instances')}
        </Button>
      </div>
      <LivenessLine />
      {isOpen && (
        <div className={classes.instances}>
          <InstanceStrip live={live} liveness={liveness} showsSwitches />
        </div>
      )}
      <div className={classes.view}>
        <Suspense fallback={<Skeleton height="100%" radius={0} />}>
          <ViewActionsContext value={actions[view] ?? noActions}>
            <View key={view} />
          </ViewActionsContext>
        </Suspense>
      </div>
    </div>
  );
}

/**
 * What keeps values from coming as they should, in a sentence. That they are old is said with their age above the rows.
 */
function LivenessLine() {
  const estate = useEstatePage();
  const liveness = useLiveStore((store) =>
    livenessOf(
      store,
      estate.instances.map(({ name }) => name),
    ),
  );
  const reason = useLiveStore(({ connection }) =>
    connection.phase === 'refused' ? refusalWords(connection.reason) : null,
  );
  if (liveness !== 'reduced' && liveness !== 'polling' && liveness !== 'refused') {
    return null;
  }
  const { word, meaning } = livenessWords(liveness);
  return (
    <p className={classes.line} role="status">
      <strong>{word}</strong> {meaning} {reason}
    </p>
  );
}
