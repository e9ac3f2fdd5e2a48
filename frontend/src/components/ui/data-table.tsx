import type { ReactNode } from 'react';

import { Term } from '@/components/glossary/term';
import { useRowsInView } from '@/hooks/use-rows-in-view';
import type { TermName } from '@/i18n/terms';
import { useTimeZone, zoneName } from '@/lib/time';

import classes from './data-table.module.css';

export type Column<Row> = {
  id: string;
  title: string;
  /** What stands in the header's tooltip: where the column comes from, its unit or zone. */
  hint?: string;
  /** What the glossary has on it. */
  term?: TermName;
  /** Pixels; without it the column takes its share of what is left. */
  width?: number;
  isNumber?: boolean;
  /** Its cells are instants: the head says in which zone. */
  isTime?: boolean;
  cell: (row: Row) => ReactNode;
};

type Props<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  rowHeight?: number;
  empty: ReactNode;
  isStale?: boolean;
  selected?: string | null;
  onSelect?: (row: Row) => void;
};

/**
 * A table of many rows, of which only those in view are in the page. The scroll position is the reader's: rows that
 * come or go never move it.
 */
export function DataTable<Row>(props: Props<Row>) {
  const { label, columns, rows, keyOf, rowHeight = 28, empty, isStale = false } = props;
  const zone = useTimeZone((store) => store.chosen);
  const { first, last, setFrame, onScroll } = useRowsInView(rows.length, rowHeight);
  return (
    <div
      ref={setFrame}
      className={classes.scroll}
      onScroll={onScroll}
      role="region"
      aria-label={label}
      // A scrolling region must be reachable by keyboard.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      <table
        className={classes.table}
        data-stale={isStale}
        aria-rowcount={rows.length + 1}
        style={{ '--row': `${rowHeight}px` }}
      >
        <colgroup>
          {columns.map((column) => (
            <col key={column.id} style={column.width === undefined ? undefined : { width: column.width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th key={column.id} scope="col" title={column.hint} data-number={column.isNumber}>
                {column.term === undefined ? column.title : <Term name={column.term}>{column.title}</Term>}
                {column.isTime === true && ` (${zoneName(zone)})`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <Spacer height={first * rowHeight} columns={columns.length} />}
          {rows.slice(first, last).map((row, index) => (
            <DataRow key={keyOf(row)} row={row} index={first + index} {...props} />
          ))}
          {last < rows.length && <Spacer height={(rows.length - last) * rowHeight} columns={columns.length} />}
        </tbody>
      </table>
      {rows.length === 0 && <div className={classes.empty}>{empty}</div>}
    </div>
  );
}

function Spacer({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

function DataRow<Row>({ row, index, columns, keyOf, selected, onSelect }: Props<Row> & { row: Row; index: number }) {
  const isSelected = selected !== undefined && selected === keyOf(row);
  const choose =
    onSelect === undefined
      ? {}
      : {
          tabIndex: 0,
          onClick: () => {
            onSelect(row);
          },
          onKeyDown: (event: React.KeyboardEvent) => {
            if (event.key === 'Enter' || event.key === ' ') {
              event.preventDefault();
              onSelect(row);
            }
          },
        };
  return (
    <tr
      aria-rowindex={index + 2}
      aria-selected={onSelect && isSelected}
      data-choosable={onSelect !== undefined}
      {...choose}
    >
      {columns.map((column) => (
        <td key={column.id} data-number={column.isNumber}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}
