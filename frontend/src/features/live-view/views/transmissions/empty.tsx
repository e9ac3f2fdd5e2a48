import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import { useInstancesNow } from '@/hooks/use-now';
import { useAbsoluteTime } from '@/lib/time';
import { ageText } from '@/live/age';
import { lastLeft } from '@/live/grid/depths';
import { placeName } from '@/live/grid/transmission-groups';

import type { LiveList } from '../../frame/use-live-list';
import classes from './empty.module.css';

const noFacts = {};

/** Nothing waits, which is good; and when a message last left, as far as it is known. */
export function NothingWaits({ list }: { list: LiveList }) {
  const { t } = useTranslation('views');
  const { instance, database } = list.query;
  const silent = lastLeft(list.topic?.table.facts ?? noFacts, list.sources, database).silent;
  return (
    <EmptyState
      action={
        <div className={classes.last}>
          <LastMessage list={list} />
          {silent.length > 0 && <p>{t('transmissions.lastUnknown', { names: silent.join(', ') })}</p>}
        </div>
      }
    >
      {instance === null
        ? t('transmissions.empty')
        : t('transmissions.emptyAt', { place: database === null ? instance : placeName(instance, database) })}
    </EmptyState>
  );
}

function LastMessage({ list }: { list: LiveList }) {
  const { t } = useTranslation('views');
  const timeText = useAbsoluteTime();
  const now = useInstancesNow() / 1000;
  const { last, since, known } = lastLeft(list.topic?.table.facts ?? noFacts, list.sources, list.query.database);
  if (last !== null) {
    const place = placeName(last.instance, last.database);
    const words = { place, time: timeText(last.at * 1000), age: ageText(now - last.at) };
    return <p>{t('transmissions.last', words)}</p>;
  }
  return since === null ? null : (
    <p>
      {t('transmissions.lastNone', {
        count: known.length,
        name: known[0],
        time: timeText(since * 1000),
        age: ageText(now - since),
      })}
    </p>
  );
}
