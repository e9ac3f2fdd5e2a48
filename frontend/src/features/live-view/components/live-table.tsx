import { Button } from '@mantine/core';
import type { ReactNode } from 'react';

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

const emptyWords: Record<TableName, string> = {
  transmission: 'Nothing waits to be transmitted: every message sent has been acknowledged.',
  conversations: 'There is no open conversation. Begin a dialog in the console.',
  queues: 'No database of this estate has a queue.',
  connections: 'No connection is open. An instance connects when it has something to send.',
};

/** One of the live tables. Nothing there, nothing known and nothing found are three different sentences. */
export function LiveTable({ table, picture, ...rest }: Props) {
  const { tables } = picture;
  switch (table) {
    case 'transmission':
      return <Rows {...rest} picture={picture} table={table} columns={transmissionColumns} rows={tables.transmission} total={tables.totals.transmission} />;
    case 'conversations':
      return <Rows {...rest} picture={picture} table={table} columns={conversationColumns} rows={tables.conversations} total={tables.totals.conversations} />;
    case 'queues':
      return <Rows {...rest} picture={picture} table={table} columns={queueColumns} rows={tables.queues} total={tables.queues.length} />;
    case 'connections':
      return <Rows {...rest} picture={picture} table={table} columns={connectionColumns} rows={tables.connections} total={tables.connections.length} />;
  }
}

type RowsProps<Row> = Props & { columns: readonly Column<Row>[]; rows: readonly Row[]; total: number };

function Rows<Row extends { key: string; instance: string }>(props: RowsProps<Row>) {
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
        label={titles[table]}
        columns={columns}
        rows={found}
        keyOf={(row) => row.key}
        rowHeight={rowHeight}
        isStale={isStale}
        empty={<Emptiness table={table} isKnown={isKnown} isFiltered={rows.length > 0} silent={silent} />}
      />
      {total > rows.length && (
        <div className={classes.limited}>
          The first {rows.length.toLocaleString('en')} of {total.toLocaleString('en')} rows are shown.
        </div>
      )}
    </div>
  );
}

const titles: Record<TableName, string> = {
  transmission: 'Transmission queues',
  conversations: 'Conversation endpoints',
  queues: 'Queues',
  connections: 'Outgoing connections',
};

type EmptinessProps = { table: TableName; isKnown: boolean; isFiltered: boolean; silent: string[] };

function Emptiness({ table, isKnown, isFiltered, silent }: EmptinessProps): ReactNode {
  const [, setFilter] = useParameter('filter');
  if (!isKnown) {
    return <EmptyState>Not known: no instance has answered yet.</EmptyState>;
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
            Clear filter
          </Button>
        }
      >
        No row matches the filter.
      </EmptyState>
    );
  }
  if (silent.length > 0) {
    return <EmptyState>The instances that answer have nothing to show here. Of {silent.join(', ')} nothing is known.</EmptyState>;
  }
  return <EmptyState>{emptyWords[table]}</EmptyState>;
}
