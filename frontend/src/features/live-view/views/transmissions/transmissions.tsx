import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { TopicParams } from '@/contracts/live-messages';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useTopic } from '@/hooks/use-topics';
import type { History } from '@/live/grid/history';
import type { GridRow, Read } from '@/live/grid/rows';
import { depths, placeName, reasons } from '@/live/grid/transmission-groups';

import { useHistory } from '../../frame/plot/use-history';
import { LiveTable } from '../../frame/live-table';
import { useLiveList, type LiveList } from '../../frame/use-live-list';
import { useViewQuery } from '../../frame/use-view-query';
import { placeOf, textOf } from '../common';
import { DepthChart, depthParams, watchedDepths } from './depth-chart';
import { DepthTable } from './depth-table';
import { TransmissionDetails } from './details';
import { NothingWaits } from './empty';
import { useTransmissionLooks } from './looks';
import { noNumber, ReasonTable } from './reason-table';
import classes from '../summary.module.css';

/** What waits to be sent or acknowledged: sys.transmission_queue, below its sums by database and by reason. */
export default function TransmissionsView() {
  const { t } = useTranslation('views');
  const query = useViewQuery();
  const chosen = query.chosen('number').join(' ');
  const params = useMemo(
    (): TopicParams =>
      chosen === ''
        ? {}
        : { numbers: chosen.split(' ').map((number) => (number === noNumber ? null : Number(number))) },
    [chosen],
  );
  const list = useLiveList({
    topic: 'transmissions',
    params,
    findsText: true,
    findsDatabase: true,
    order: oldestFirst,
  });
  const looks = useTransmissionLooks();
  useTopic(useEstatePage().name, 'transmissions', depthParams);
  const history = useHistory(watchedDepths);
  return (
    <LiveTable
      label={t('views.transmission-queues')}
      list={list}
      looks={looks}
      filters={filters}
      hasDatabases
      above={<Sums list={list} history={history} />}
      empty={<NothingWaits list={list} />}
      isPlaceTold
      drawer={(row, read) => ({
        kind: t('transmissions.one'),
        name: textOf(row, read, 'to_service_name'),
        place: placeOf(row, read),
        details: <TransmissionDetails row={row} read={read} />,
      })}
    />
  );
}

const filters = ['number'];

/** As each instance gives them, but of all instances together. */
function oldestFirst(rows: readonly GridRow[], read: Read): readonly GridRow[] {
  return rows.toSorted((one, other) => Number(read(one, 'enqueue_time')) - Number(read(other, 'enqueue_time')));
}

/** How deep each queue is and why. Once there, it stays: what comes and goes must not move the rows below. */
function Sums({ list, history }: { list: LiveList; history: History }) {
  const estate = useEstatePage();
  const facts = list.topic?.table.facts;
  const { query, sources } = list;
  const waiting = useMemo(() => depths(facts ?? {}, sources, query.database), [facts, sources, query.database]);
  const why = useMemo(() => reasons(facts ?? {}, sources, query.database), [facts, sources, query.database]);
  const names = useMemo(() => {
    const answering = new Set(sources.filter(({ state }) => state === 'known').map(({ instance }) => instance));
    return estate.instances
      .filter(({ name }) => answering.has(name))
      .flatMap(({ name, databases }) => databases.map((database) => placeName(name, database.name)));
  }, [estate.instances, sources]);
  const [isShown, show] = useState(false);
  if (!isShown && waiting.length > 0) {
    show(true);
  }
  return !isShown ? null : (
    <div className={classes.charted}>
      <div className={classes.sums}>
        <DepthTable depths={waiting} names={names} query={query} />
        <ReasonTable reasons={why} query={query} />
        <DepthChart history={history} query={query} />
      </div>
    </div>
  );
}
