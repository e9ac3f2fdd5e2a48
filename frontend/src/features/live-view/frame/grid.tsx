import { Checkbox } from '@mantine/core';
import { useId, type MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';

import { useRowsInView } from '@/hooks/use-rows-in-view';
import type { GridRow, Read } from '@/live/grid/rows';

import { Head } from './head';
import { gridKeys, openRow, selectAll, selectTo, toggleRow } from './grid-keys';
import classes from './grid.module.css';
import type { LookedColumn } from './looks';
import { Row } from './row';
import type { LiveList } from './use-live-list';

const rowHeight = 28;
const tickWidth = 44;

type Props = {
  label: string;
  list: LiveList;
  columns: readonly LookedColumn[];
  onCopy: () => void;
  /** Rows that belong together have the same; they stand one below the other. */
  groupOf?: ((row: GridRow, read: Read) => string) | undefined;
  /** What is said in place of a row of which nobody can tell. */
  half?: ((row: GridRow) => React.ReactNode) | undefined;
};

/**
 * Rows of a live view, of which only those in view are in the page. It is reached by Tab as a whole; arrows move
 * within.
 */
export function Grid(props: Props) {
  const { label, list, columns, onCopy } = props;
  const id = useId();
  const { rows } = list.shown;
  const { first, last, setFrame, onScroll, show } = useRowsInView(rows.length, rowHeight);
  const cursorAt = rows.findIndex(({ key }) => key === list.cursor);
  return (
    <div
      ref={setFrame}
      className={classes.scroll}
      onScroll={(event) => {
        onScroll(event);
        list.setScrolled(event.currentTarget.scrollTop > 0);
      }}
    >
      {/* A table in which arrows move is a grid. */}
      <table
        // eslint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
        role="grid"
        className={classes.table}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-multiselectable
        aria-busy={list.isOld}
        aria-activedescendant={cursorAt >= first && cursorAt < last ? `${id}-${cursorAt}` : undefined}
        data-stale={list.isOld}
        tabIndex={0}
        style={{ '--row': `${rowHeight}px`, minWidth: columns.reduce((sum, { width }) => sum + width, tickWidth) }}
        onKeyDown={gridKeys(list, { show, copy: onCopy })}
      >
        <colgroup>
          <col style={{ width: tickWidth }} />
          {columns.map((column) => (
            <col key={column.id} style={{ width: column.width }} />
          ))}
        </colgroup>
        <Heads list={list} columns={columns} />
        <Body {...props} id={id} first={first} last={last} />
      </table>
    </div>
  );
}

type BodyProps = Props & { id: string; first: number; last: number };

/** The rows in view, between as much room as all others take. */
function Body({ list, columns, groupOf, half, id, first, last }: BodyProps) {
  const { rows, left } = list.shown;
  const troubled = new Map(
    list.sources.filter(({ state }) => state !== 'known').map((source) => [source.instance, source]),
  );
  const groupAt = (index: number) => {
    const row = rows[index];
    return row === undefined ? undefined : groupOf?.(row, list.read);
  };
  return (
    // The grid has the keys: this is for the pointer, once for all rows.
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <tbody
      onClick={(event) => {
        click(event, list);
      }}
    >
      <Spacer height={first * rowHeight} columns={columns.length + 1} />
      {rows.slice(first, last).map((row, place) => {
        const index = first + place;
        return row.half !== undefined ? (
          <tr
            key={row.key}
            id={`${id}-${index}`}
            aria-rowindex={index + 2}
            className={classes.half}
            data-cursor={row.key === list.cursor}
          >
            <td className={classes.tick} />
            <td colSpan={columns.length}>{half?.(row)}</td>
          </tr>
        ) : (
          <Row
            key={row.key}
            id={`${id}-${index}`}
            row={row}
            index={index}
            columns={columns}
            read={list.read}
            source={troubled.get(row.instance)}
            hasLeft={left.has(row.key)}
            isCursor={row.key === list.cursor}
            isOpen={row.key === list.query.row}
            isSelected={list.selected.has(row.key)}
            isWithBefore={groupOf !== undefined && index > 0 && groupAt(index - 1) === groupAt(index)}
            isGrouped={groupOf !== undefined}
          />
        );
      })}
      <Spacer height={(rows.length - last) * rowHeight} columns={columns.length + 1} />
    </tbody>
  );
}

/** The heads of the columns, behind the box that selects all rows or none. */
function Heads({ list, columns }: { list: LiveList; columns: readonly LookedColumn[] }) {
  const { t } = useTranslation('views');
  const count = list.shown.rows.length;
  const isTicked = count > 0 && list.selected.size > 0;
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th className={classes.tick}>
          <Checkbox
            size="xs"
            tabIndex={-1}
            aria-label={t('selectAll')}
            checked={isTicked && list.selected.size >= count}
            indeterminate={isTicked && list.selected.size < count}
            onChange={({ currentTarget }) => {
              if (currentTarget.checked) {
                selectAll(list);
              } else {
                list.select(new Set());
              }
            }}
          />
        </th>
        {columns.map((column) => (
          <Head key={column.id} column={column} query={list.query} />
        ))}
      </tr>
    </thead>
  );
}

function Spacer({ height, columns }: { height: number; columns: number }) {
  return height <= 0 ? null : (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

/** A row opens; its box selects it, and so does a click with Shift all rows from the cursor to it. */
function click({ target, shiftKey }: MouseEvent, list: LiveList): void {
  const place = target instanceof Element ? target.closest('tr')?.dataset.index : undefined;
  if (place === undefined || !(target instanceof Element)) {
    return;
  }
  const row = list.shown.rows[Number(place)];
  if (shiftKey) {
    selectTo(list, Number(place));
  } else if (target.closest('[data-tick]') !== null) {
    toggleRow(list, row);
  } else if (target.closest('a, button') === null) {
    openRow(list, row);
  }
}
