import { useTranslation } from 'react-i18next';

import { ListFoot } from '@/components/ui/page';
import type { InstanceFacts } from '@/contracts/live-messages';
import { useAbsoluteTime } from '@/lib/time';

import type { LiveList } from './use-live-list';

/** What is shown of how much: the sum is the engine's, not a count of what this browser has. */
export function Foot({ list, isSorted }: { list: LiveList; isSorted: boolean }) {
  const { t } = useTranslation('views');
  const timeText = useAbsoluteTime();
  const { total, pause, shown, topic } = list;
  const count = shown.rows.filter(({ key, half }) => half === undefined && !shown.left.has(key)).length;
  const hasMore = list.sources.some(
    ({ instance }) => (topic?.table.facts[instance] as InstanceFacts | undefined)?.has_more === true,
  );
  const isUnknown = list.sources.length > 0 && total.unknown.length === list.sources.length;
  const words = [
    // Of the trace there are always older ones, in the event log.
    topic?.topic === 'trace'
      ? t('foot.newest', { count })
      : total.count !== null
        ? t('foot.of', { count, total: total.count })
        : isUnknown
          ? t('foot.notKnown', { count })
          : hasMore
            ? t('foot.maybeMore', { count })
            : t('foot.all', { count }),
    total.unknown.length > 0 && list.isKnown && !isUnknown
      ? t('foot.unknown', { names: total.unknown.join(', ') })
      : null,
    isSorted && hasMore ? t('foot.sortedHere') : null,
    shown.left.size > 0 ? t('foot.left', { count: shown.left.size }) : null,
    pause.since === null ? null : t('foot.paused', { time: timeText(pause.since) }),
  ];
  return (
    <ListFoot>
      <span>{words.filter((part) => part !== null).join(' · ')}</span>
    </ListFoot>
  );
}
