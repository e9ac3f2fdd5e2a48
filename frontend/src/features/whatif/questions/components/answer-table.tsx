import { VisuallyHidden } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconMinus,
  IconPencil,
  IconPlus,
  IconRouteAltLeft,
  IconSitemap,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { EmptyState } from '@/components/ui/empty-state';
import { Hint } from '@/components/ui/hint';
import { ObjectName } from '@/components/ui/object-name';
import { SeveritySign } from '@/components/severity-sign';
import { DispositionSign } from '@/components/what-if/light-sign';
import type { ChangedRow, Disposition, Severity, TableAnswer, TableColumn } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useTimeZone } from '@/lib/time';

import { cellOf, cellText, columnTitle, linkOf, type Row } from '../cells';
import { nextSorting, type Sorting } from '../sorting';
import type { TableAsked } from '../use-table';
import classes from './questions.module.css';

type Props = {
  answer: TableAnswer;
  table: TableAsked;
  isOlder: boolean;
  onSort: (sorting: Sorting | null) => void;
};

/** The rows of an answer; of a comparison what has gone, changed and come, with the cells of before and after. */
export function AnswerTable({ answer, table, isOlder, onSort }: Props) {
  const { t } = useTranslation('tables');
  // Instants are told in the zone of the account.
  useTimeZone((store) => store.chosen);
  const { columns, rows, changes, reference } = answer;
  if (answer.total === 0) {
    return (
      <EmptyState>
        {reference === null
          ? t(`question.${answer.question as 'drift'}.none`, { defaultValue: t('noRows') })
          : t('noDifference', { same: answer.same ?? 0 })}
      </EmptyState>
    );
  }
  return (
    <table className={classes.table} data-stale={isOlder} aria-busy={isOlder}>
      <thead>
        <tr>
          {reference !== null && (
            <Head id="change" title={t('column.change')} sorting={table.sorting} onSort={onSort} />
          )}
          {columns.map((column) => (
            <Head
              key={column.name}
              id={column.name}
              title={columnTitle(column)}
              isNumber={isNumber(column)}
              sorting={table.sorting}
              onSort={onSort}
            />
          ))}
          <th scope="col" className={classes.openHead}>
            <VisuallyHidden>{t('column.open')}</VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {reference === null
          ? rows.map((row, at) => (
              // Rows have no key of their own, and never move within an answer.
              <tr key={at}>
                {columns.map((column) => (
                  <td key={column.name} data-number={isNumber(column)}>
                    <Value columns={columns} column={column} row={row} />
                  </td>
                ))}
                <Open columns={columns} row={row} table={table} />
              </tr>
            ))
          : changes.map((change, at) => <ChangeLine key={at} columns={columns} change={change} table={table} />)}
      </tbody>
    </table>
  );
}

const numbers: ReadonlySet<string> = new Set(['number', 'share', 'seconds', 'error']);
const isNumber = ({ kind }: TableColumn) => numbers.has(kind);

type HeadProps = {
  id: string;
  title: string;
  isNumber?: boolean;
  sorting: Sorting | null;
  onSort: (sorting: Sorting | null) => void;
};

function Head({ id, title, isNumber: isRight = false, sorting, onSort }: HeadProps) {
  const way = sorting?.column === id ? (sorting.isDescending ? 'descending' : 'ascending') : 'none';
  return (
    <th scope="col" aria-sort={way} data-number={isRight}>
      <button
        type="button"
        onClick={() => {
          onSort(nextSorting(sorting, id));
        }}
      >
        {title}
        {way === 'ascending' && <IconArrowUp size={13} aria-hidden />}
        {way === 'descending' && <IconArrowDown size={13} aria-hidden />}
      </button>
    </th>
  );
}

const signs = { gone: IconMinus, changed: IconPencil, come: IconPlus } as const;

type LineProps = { columns: readonly TableColumn[]; change: ChangedRow; table: TableAsked };

function ChangeLine({ columns, change: { change, before, after }, table }: LineProps) {
  const { t } = useTranslation('tables');
  const row = after ?? before ?? [];
  const Sign = signs[change];
  return (
    <tr data-change={change}>
      <td>
        <span className={classes.change} title={t(`change.${change}.about`)}>
          <Sign size={14} stroke={2.6} aria-hidden />
          {t(`change.${change}.word`)}
        </span>
      </td>
      {columns.map((column) => (
        <td key={column.name} data-number={isNumber(column)}>
          {before !== null && after !== null && isOther(columns, column, before, after) ? (
            <span className={classes.turn}>
              <del>
                <Value columns={columns} column={column} row={before} />
              </del>
              <span className={classes.arrow} role="img" aria-label={t('arrow')}>
                →
              </span>
              <ins>
                <Value columns={columns} column={column} row={after} />
              </ins>
            </span>
          ) : (
            <Value columns={columns} column={column} row={row} />
          )}
        </td>
      ))}
      <Open columns={columns} row={row} table={table} />
    </tr>
  );
}

function isOther(columns: readonly TableColumn[], column: TableColumn, before: Row, after: Row): boolean {
  return cellOf(columns, before, column.name) !== cellOf(columns, after, column.name);
}

type ValueProps = { columns: readonly TableColumn[]; column: TableColumn; row: Row };

function Value({ columns, column, row }: ValueProps) {
  const { t } = useTranslation('tables');
  const cell = cellOf(columns, row, column.name);
  if (cell === null) {
    return (
      <span className={classes.nothing} role="img" aria-label={t('nothing')}>
        –
      </span>
    );
  }
  if (column.kind === 'name') {
    return <ObjectName>{String(cell)}</ObjectName>;
  }
  if (column.name === 'disposition') {
    const number = cellOf(columns, row, 'number');
    return <DispositionSign disposition={cell as Disposition} number={typeof number === 'number' ? number : null} />;
  }
  if (column.name === 'severity') {
    return <SeveritySign severity={cell as Severity} />;
  }
  return <span data-kind={column.kind}>{cellText(columns, column, row)}</span>;
}

function Open({ columns, row, table }: { columns: readonly TableColumn[]; row: Row; table: TableAsked }) {
  const { t } = useTranslation('tables');
  const { name: estate } = useEstatePage();
  const link = linkOf(estate, columns, row, table.asked);
  const about = ['instance', 'database', 'table', 'service', 'to_service', 'route', 'name']
    .map((name) => cellOf(columns, row, name))
    .filter((cell) => cell !== null)
    .join(' · ');
  return (
    <td className={classes.open}>
      {link !== null && (
        <Hint label={t(`open.${link.kind}`)}>
          <Link to={link.to} aria-label={t(`open.${link.kind}Named`, { about })}>
            {link.kind === 'flow' ? <IconRouteAltLeft size={17} aria-hidden /> : <IconSitemap size={17} aria-hidden />}
          </Link>
        </Hint>
      )}
    </td>
  );
}
