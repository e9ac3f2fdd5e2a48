import { Checkbox } from '@mantine/core';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';

import { useNow } from '@/hooks/use-now';
import { ageText } from '@/live/age';
import type { GridRow, Read } from '@/live/grid/rows';
import type { Source } from '@/live/grid/sources';

import classes from './grid.module.css';
import type { LookedColumn } from './looks';
import { Value } from './value';

type Props = {
  id: string;
  row: GridRow;
  index: number;
  columns: readonly LookedColumn[];
  read: Read;
  /** Where it comes from, when that does not answer. */
  source: Source | undefined;
  hasLeft: boolean;
  isCursor: boolean;
  isOpen: boolean;
  isSelected: boolean;
  isGrouped: boolean;
  isWithBefore: boolean;
};

const isRight = new Set(['number', 'age', 'until']);

function TableRow({
  id,
  row,
  index,
  columns,
  read,
  source,
  hasLeft,
  isCursor,
  isOpen,
  isSelected,
  isGrouped,
  isWithBefore,
}: Props) {
  const { t } = useTranslation('views');
  return (
    <tr
      id={id}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-index={index}
      data-cursor={isCursor}
      data-open={isOpen}
      data-left={hasLeft}
      data-old={source !== undefined}
      data-with-before={isGrouped ? isWithBefore : undefined}
    >
      <td className={classes.tick} data-tick>
        <Checkbox size="xs" tabIndex={-1} readOnly aria-label={t('select')} checked={isSelected} />
      </td>
      {columns.map((column) => (
        <td key={column.id} data-number={isRight.has(column.shape)} data-column={column.id}>
          {column.id === 'instance_name' && (source !== undefined || hasLeft) ? (
            <span className={classes.marked}>
              <span>{row.instance}</span>
              {source === undefined ? <span className={classes.word}>{t('left')}</span> : <OldMark source={source} />}
            </span>
          ) : (
            (column.cell?.(row.cells[column.at], row, read) ?? (
              <Value value={row.cells[column.at]} shape={column.shape} type={column.type} />
            ))
          )}
        </td>
      ))}
    </tr>
  );
}

/** How old a row is whose instance does not answer; in whole sentences on hover. */
function OldMark({ source }: { source: Source }) {
  const { t } = useTranslation('views');
  const now = useNow();
  const word = t(`source.${source.state}.word`);
  const meaning = t(`source.${source.state}.meaning`, {
    name: source.instance,
    reason: source.reason,
    number: source.number ?? 0,
  });
  return (
    <span className={classes.word} title={`${word}: ${meaning}`}>
      {source.since === null ? word : ageText((now - source.since) / 1000)}
    </span>
  );
}

/**
 * A row, drawn again only when something of it has changed: thousands are in a table that changes four times a second.
 */
export const Row = memo(TableRow, (before, after) =>
  (Object.keys(after) as (keyof Props)[]).every((name) =>
    name === 'source'
      ? before.source?.state === after.source?.state && before.source?.since === after.source?.since
      : before[name] === after[name],
  ),
);
