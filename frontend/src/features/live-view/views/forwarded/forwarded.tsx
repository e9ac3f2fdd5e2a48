import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { forwarders } from '@/live/grid/forwarders';

import { LiveTable } from '../../frame/live-table';
import { useLiveList, type LiveList } from '../../frame/use-live-list';
import { placeOf, textOf } from '../common';
import summary from '../summary.module.css';
import { ForwardedDetails } from './details';
import { DropTable } from './drop-table';
import { NothingInTransit } from './empty';
import { ForwarderTable } from './forwarder-table';
import { useForwardedLooks } from './looks';

/** Messages in transit through forwarders, below what each holds and has dropped: sys.dm_broker_forwarded_messages. */
export default function ForwardedView() {
  const { t } = useTranslation('views');
  const list = useLiveList({ topic: 'forwarded' });
  const looks = useForwardedLooks();
  const facts = list.topic?.table.facts;
  const all = useMemo(() => forwarders(facts ?? {}, list.sources), [facts, list.sources]);
  return (
    <LiveTable
      label={t('views.forwarded')}
      list={list}
      looks={looks}
      above={<Sums list={list} all={all} />}
      empty={<NothingInTransit all={all} />}
      drawer={(row, read) => ({
        kind: t('forwarded.one'),
        name: textOf(row, read, 'to_service_name'),
        place: placeOf(row, read),
        details: <ForwardedDetails row={row} read={read} />,
      })}
    />
  );
}

function Sums({ list, all }: { list: LiveList; all: ReturnType<typeof forwarders> }) {
  return !list.isKnown ? null : (
    <div className={summary.sums}>
      <ForwarderTable all={all} query={list.query} />
      <DropTable all={all} />
    </div>
  );
}
