import { useTranslation } from 'react-i18next';

import { useEstatePage } from '@/hooks/use-estate-page';
import { useHiddenLayers } from '@/hooks/use-layers';
import { useInstancesNow } from '@/hooks/use-now';
import { useFlowStore } from '@/lib/flow-store';
import { useLiveStore } from '@/lib/live-store';
import { findRoute } from '@/topology/lookup';
import type { Selection } from '@/topology/selection';

import { backlogWords, flowWords } from '../../flow-words';
import { backlogAge } from '../../hooks/use-backlog-age';
import { flowOfRoute } from '../../line-flows';

/** What the overlay of the drawing shows of the same object, in words; nothing while it is hidden. */
export function LiveWords({ selection }: { selection: Selection }) {
  const isHidden = useHiddenLayers().has('live');
  if (isHidden) {
    return null;
  }
  switch (selection.kind) {
    case 'instance':
      return <Backlog instance={selection.instance} />;
    case 'database':
      return <Backlog instance={selection.instance} database={selection.database} />;
    case 'route':
      return <RouteFlow selection={selection} />;
    case 'service':
    case 'ghost':
      return null;
  }
}

function Backlog({ instance, database }: { instance: string; database?: string }) {
  const { t } = useTranslation('overlay');
  const now = useInstancesNow() / 1000;
  const words = useLiveStore((store) => {
    if (backlogAge(store, instance, database) === 'unknown') {
      return t('backlogUnknown');
    }
    const known =
      store.live.instances[instance]?.view?.databases.filter(
        ({ name }) => database === undefined || name === database,
      ) ?? [];
    const oldest = Math.min(...known.map((one) => one.oldest ?? Infinity));
    return backlogWords(
      known.reduce((sum, one) => sum + one.transmission_queue_total, 0),
      now - oldest,
    );
  });
  return words !== null && <Words words={words} />;
}

function RouteFlow({ selection }: { selection: Extract<Selection, { kind: 'route' }> }) {
  const estate = useEstatePage();
  const route = findRoute(estate, selection, selection.route);
  const words = useFlowStore((store) => {
    const flow = route === undefined ? null : flowOfRoute(store, selection, route);
    return flow === null ? null : flowWords(flow);
  });
  return words !== null && <Words words={words} />;
}

/** In front of what the row is about: it is what changes. */
function Words({ words }: { words: string }) {
  return (
    <>
      <strong title={words}>{words}</strong> ·{' '}
    </>
  );
}
