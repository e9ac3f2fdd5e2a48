import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { DataTable, type Column } from '@/components/ui/data-table';
import { EmptyState } from '@/components/ui/empty-state';
import { useParameter } from '@/hooks/use-view-state';
import { matches } from '@/topology/words';

import type { LivePicture } from '../use-live-tables';
import { connectionColumns, conversationColumns, queueColumns, transmissionColumns } from './columns';
import classes from './live-panel.module.css';

export type TableName = 'transmission' | 'conversations' | 'queues' | 'connections';

type Props = {
  table: TableName;
  picture: LivePicture;
  filter: string;
  /** The one instance whose rows are wanted, null for all. */
  only: string | null;
  isStale: boolean;
  rowHeight: number;
};

/** One of the live tables. Nothing there, nothing known and nothing found are three different sentences. */
export function LiveTable({ table, picture, ...rest }: Props) {
  const { t } = useTranslation('live');
  const { tables } = picture;
  switch (table) {
    case 'transmission':
      return (
        <Rows
          {...rest}
          picture={picture}
          table={table}
          columns={transmissionColumns(t)}
          rows={tables.transmission}
          total={tables.totals.transmission}
        />
      );
    case 'conversations':
      return (
        <Rows
          {...rest}
          picture={picture}
          table={table}
          columns={conversationColumns(t)}
          rows={tables.conversations}
          total={tables.totals.conversations}
        />
      );
    case 'queues':
      return (
        <Rows
          {...rest}
          picture={picture}
          table={table}
          columns={queueColumns(t)}
          rows={tables.queues}
          total={tables.queues.length}
        />
      );
    case 'connections':
      return (
        <Rows
          {...rest}
          picture={picture}
          table={table}
          columns={connectionColumns(t)}
          rows={tables.connections}
          total={tables.connections.length}
        />
      );
  }
}

type RowsProps<Row> = Props & { columns: readonly Column<Row>[]; rows: readonly Row[]; total: number };

function Rows<Row extends { key: string; instance: string }>(props: RowsProps<Row>) {
  const { t } = useTranslation('live');
  const { table, picture, filter, only, isStale, rowHeight, columns, rows, total } = props;
  const found = rows.filter(
    (row) => (only === null || row.instance === only) && matches(filter, Object.values(row).map(String)),
  );
  const instances = Object.entries(picture.live.instances);
  const isKnown = instances.some(([, one]) => one.view !== null);
  const silent = instances.filter(([, one]) => one.unavailable !== null && one.view === null).map(([name]) => name);
  return (
    <div className={classes.withNote}>
      <DataTable
        label={t(`titles.${table}`)}
        columns={columns}
        rows={found}
        keyOf={(row) => row.key}
        rowHeight={rowHeight}
        isStale={isStale}
        empty={<Emptiness table={table} isKnown={isKnown} isFiltered={rows.length > 0} silent={silent} />}
      />
      {total > rows.length && <div className={classes.limited}>{t('limited', { shown: rows.length, total })}</div>}
    </div>
  );
}

type EmptinessProps = { table: TableName; isKnown: boolean; isFiltered: boolean; silent: string[] };

function Emptiness({ table, isKnown, isFiltered, silent }: EmptinessProps): ReactNode {
  const { t } = useTranslation('live');
  const [, setFilter] = useParameter('filter');
  if (!isKnown) {
    return <EmptyState>{t('empty.unknown')}</EmptyState>;
  }
  if (isFiltered) {
    return (
      <EmptyState
        action={
          <Button
            variant="default"
            onClick={() => {
              setFilter(null);
            }}
          >
            {t('empty.clearFilter')}
          </Button>
        }
      >
        {t('empty.filtered')}
      </EmptyState>
    );
  }
  if (silent.length > 0) {
    return <EmptyState>{t('empty.silent', { names: silent.join(', ') })}</EmptyState>;
  }
  return <EmptyState>{t(`empty.${table}`)}</EmptyState>;
}
