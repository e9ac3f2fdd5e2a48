import { Checkbox, Skeleton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { FindingMark } from '@/components/severity-sign';
import { Badge } from '@/components/ui/badge';
import type { ListedObject } from '@/contracts/api';
import { useFindingCounts } from '@/hooks/use-findings';
import { valueText } from '@/lib/object-values';
import { useAbsoluteTime, useTimeZone, zoneName } from '@/lib/time';
import { marksOf } from '@/topology/findings';
import { objectPlace } from '@/topology/object-words';
import { formatSelection } from '@/topology/selection';

import { kinds, type Column, type FieldName, type KindName, type Sort } from '../kinds';
import { keyOf, selectionOf } from '../object-name';
import type { useObjectList } from '../use-object-list';
import type { SelectedRows } from '../use-selected-rows';
import classes from './objects.module.css';

type Props = {
  kind: KindName;
  /** Null as long as they are not known. */
  rows: readonly ListedObject[] | null;
  hidden: ReadonlySet<FieldName>;
  list: ReturnType<typeof useObjectList>;
  selected: SelectedRows;
  chosen: string | null;
  isStale: boolean;
  onChoose: (row: ListedObject) => void;
};

const kindsWithOwnMarks: ReadonlySet<KindName> = new Set(['instance', 'database', 'service', 'route']);
const skeletonRows = 12;

/**
 * A page of a list. Names are buttons that open the details; the box in front of a row selects it for what is done with
 * many.
 */
export function ObjectTable({ kind, rows, hidden, list, selected, chosen, isStale, onChoose }: Props) {
  const { t } = useTranslation('objects');
  const marks = useMarks(kind);
  const zone = useTimeZone((store) => store.chosen);
  const columns = kinds[kind].columns.filter(({ field }) => !hidden.has(field));
  const isUsed = rows?.some(({ used_by: count }) => count !== null) === true;
  const { home } = kinds[kind];
  const selectable = rows?.filter(({ effect }) => effect !== 'remove') ?? [];
  const count = selectable.filter(selected.has).length;
  return (
    <table
      className={classes.table}
      aria-label={t(`kinds.${kind}.plural`)}
      aria-busy={rows === null}
      data-stale={isStale}
    >
      <thead>
        <tr>
          <th className={classes.tick}>
            <Checkbox
              size="xs"
              aria-label={t('selectPage')}
              checked={count > 0 && count === selectable.length}
              indeterminate={count > 0 && count < selectable.length}
              onChange={(event) => {
                selected.toggle(selectable, event.currentTarget.checked);
              }}
            />
          </th>
          <Head title={t('name')} sort="name" list={list} />
          {home !== 'estate' && (
            <Head
              title={home === 'database' ? `${t('instance')} · ${t('database')}` : t('instance')}
              sort="place"
              list={list}
            />
          )}
          {columns.map((column) => (
            <Head
              key={column.field}
              title={
                column.shape === 'time'
                  ? t('inZone', { name: t(`fields.${column.field}`), zone: zoneName(zone) })
                  : t(`fields.${column.field}`)
              }
              sort={column.sort}
              list={list}
              width={column.width}
              isNumber={column.shape === 'number'}
            />
          ))}
          {isUsed && <Head title={t('usedBy')} list={list} width={90} isNumber />}
          {list.draft !== null && <Head title={t('effectColumn')} list={list} width={130} />}
        </tr>
      </thead>
      <tbody>
        {rows?.map((row) => (
          <tr
            key={keyOf(row)}
            data-chosen={chosen === keyOf(row)}
            data-removed={row.effect === 'remove'}
            data-expired={row.is_expired}
          >
            <td className={classes.tick}>
              <Checkbox
                size="xs"
                aria-label={t('select', { name: row.name })}
                checked={selected.has(row) && row.effect !== 'remove'}
                disabled={row.effect === 'remove'}
                onChange={(event) => {
                  selected.toggle([row], event.currentTarget.checked);
                }}
              />
            </td>
            <th scope="row">
              <span className={classes.named}>
                <button
                  type="button"
                  className={classes.name}
                  title={row.name}
                  onClick={() => {
                    onChoose(row);
                  }}
                >
                  {row.name}
                </button>
                <FindingMark size={12} mark={marks?.get(formatSelection(selectionOf(kind, row)))} />
              </span>
            </th>
            {home !== 'estate' && <td title={objectPlace(row)}>{objectPlace(row)}</td>}
            {columns.map((column) => (
              <Cell key={column.field} column={column} row={row} />
            ))}
            {isUsed && <td data-number>{row.used_by ?? ''}</td>}
            {list.draft !== null && (
              <td>
                {row.effect !== null && (
                  <Badge verdict={row.effect === 'remove' ? 'lost' : undefined}>{t(row.effect)}</Badge>
                )}
              </td>
            )}
          </tr>
        )) ??
          Array.from({ length: skeletonRows }, (_, at) => (
            <tr key={at}>
              <td colSpan={columns.length + 4}>
                <Skeleton height={12} />
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

function Head({
  title,
  sort,
  list,
  width,
  isNumber = false,
}: {
  title: string;
  sort?: Sort | undefined;
  list: Props['list'];
  width?: number | undefined;
  isNumber?: boolean;
}) {
  const { t } = useTranslation('objects');
  const isSorted = sort !== undefined && list.sort === sort;
  const Sign = list.isDescending ? IconArrowDown : IconArrowUp;
  return (
    <th
      scope="col"
      style={width === undefined ? undefined : { width }}
      data-number={isNumber}
      aria-sort={isSorted ? (list.isDescending ? 'descending' : 'ascending') : undefined}
    >
      {sort === undefined ? (
        title
      ) : (
        <button
          type="button"
          className={classes.sort}
          title={t('sortBy', { name: title })}
          onClick={() => {
            list.sortBy(sort);
          }}
        >
          {title}
          {isSorted && <Sign size={12} aria-hidden />}
        </button>
      )}
    </th>
  );
}

function Cell({ column, row }: { column: Column; row: ListedObject }) {
  const { t } = useTranslation('objects');
  const timeText = useAbsoluteTime();
  const held = row.fields[column.path ?? column.field];
  if (column.shape === 'time') {
    const text = typeof held === 'string' ? timeText(Date.parse(held)) : '';
    return (
      <td title={text}>
        {text} {row.is_expired && <Badge>{t('expiredSign')}</Badge>}
      </td>
    );
  }
  if (column.shape === 'flag') {
    return <td>{held === true ? t('on') : held === false ? t('off') : ''}</td>;
  }
  const text = held === null || held === undefined ? '' : valueText(held);
  return (
    <td className={classes.mono} title={text} data-number={column.shape === 'number'}>
      {text}
    </td>
  );
}

/** Marks of findings, for kinds whose objects have their own on the canvas. */
function useMarks(kind: KindName) {
  const { byObject } = useFindingCounts();
  return kindsWithOwnMarks.has(kind) ? marksOf(byObject) : null;
}
