import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { Term } from '@/components/glossary/term';
import { useTimeZone, zoneName } from '@/lib/time';

import classes from './grid.module.css';
import type { LookedColumn } from './looks';
import type { ViewQuery } from './use-view-query';

const isRight = new Set(['number', 'age', 'until']);
const isClockTime = new Set(['instant', 'moment']);

/**
 * A column's head: a word, the zone where it shows the time of a clock, where an order says something the button that
 * sorts; under it the name in the view, which is what a query needs.
 */
export function Head({ column, query }: { column: LookedColumn; query: ViewQuery }) {
  const { t } = useTranslation('views');
  const zone = zoneName(useTimeZone((store) => store.chosen));
  const { sorting } = query;
  const isSorted = sorting?.id === column.id;
  const title = isClockTime.has(column.shape) ? t('inZone', { name: column.title, zone }) : column.title;
  const Sign = sorting?.isDescending === true ? IconArrowDown : IconArrowUp;
  // Once this way, once that way, and back to the order of the view.
  const turn = () => {
    query.setSorting(
      !isSorted
        ? { id: column.id, isDescending: false }
        : sorting.isDescending
          ? null
          : { id: column.id, isDescending: true },
    );
  };
  return (
    <th
      scope="col"
      title={column.hint}
      data-number={isRight.has(column.shape)}
      aria-sort={isSorted ? (sorting.isDescending ? 'descending' : 'ascending') : undefined}
    >
      {column.isSortable === true ? (
        <button type="button" className={classes.sort} onClick={turn} title={t('sortBy', { name: title })}>
          {title}
          {isSorted && <Sign size={12} aria-hidden />}
        </button>
      ) : column.term === undefined ? (
        title
      ) : (
        <Term name={column.term}>{title}</Term>
      )}
      {column.isVendors && column.title !== column.name && <span className={classes.vendor}>{column.name}</span>}
    </th>
  );
}
