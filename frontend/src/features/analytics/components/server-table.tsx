import { Button, CloseButton, Select, Skeleton, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconChevronLeft, IconChevronRight, IconFilter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import { ObjectName } from '@/components/ui/object-name';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { ChangeSign, DispositionSign, LightSign } from '@/components/what-if/light-sign';
import type { Disposition, FlowChange, Light, ResultColumn } from '@/contracts/api';
import { numberText } from '@/i18n';
import { asProblem } from '@/lib/errors';
import { useTimeZone } from '@/lib/time';

import { pageRows, sortedRowsMax, tableQuery, type Filter, type Sorting, type TableAsked } from '../api/tables';
import type { Cell, TablePage } from '../api/types';
import { barShare, cellText, columnTitle, isNumber } from '../columns';
import classes from './tables.module.css';

type Props = {
  estate: string;
  run: string;
  table: string;
  label: string;
  first?: Sorting | null;
  /** Rows that are left are those of these values, and the reader's own beside them. */
  fixed?: readonly Filter[];
  /** Columns that say nothing here. */
  without?: readonly string[];
  /** Columns with a bar behind their figures. */
  bars?: readonly string[];
  /** What a table says that has no row. */
  none?: string;
  tools?: ReactNode;
  onRow?: (row: Readonly<Record<string, Cell>>) => void;
};

const nothing: readonly never[] = [];

/** A table of a run: sorted, filtered and paged by the server, since it can have any number of rows. */
export function ServerTable(props: Props) {
  const { estate, run, table, label, first = null, fixed = nothing, none, tools } = props;
  const { t } = useTranslation('analytics');
  const [sorting, setSorting] = useState<Sorting | null>(first);
  const [own, setOwn] = useState<readonly Filter[]>(nothing);
  const [page, setPage] = useState(1);
  const asked: TableAsked = { sorting, filters: [...fixed, ...own], page };
  const { data, error, refetch, isPlaceholderData } = useQuery(tableQuery(estate, run, table, asked));
  if (data === undefined) {
    return error === null ? (
      <Skeleton height={180} role="progressbar" aria-label={t('table.reading')} />
    ) : (
      <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
    );
  }
  const filter = (filters: readonly Filter[]) => {
    setOwn(filters);
    setPage(1);
  };
  return (
    <div className={classes.part}>
      <Filters
        columns={data.columns}
        own={own}
        onChange={filter}
        tools={
          <>
            {tools}
            <span role="status" className={classes.quiet}>
              {t('table.rows', { count: data.total })}
            </span>
          </>
        }
      />
      {error !== null && <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />}
      {data.total === 0 ? (
        <EmptyState>{own.length > 0 ? t('table.noMatch') : (none ?? t('table.none'))}</EmptyState>
      ) : (
        // It scrolls, so it must be reachable by keyboard.
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div className={classes.scroll} role="region" aria-label={label} tabIndex={0}>
          <Rows
            {...props}
            page={data}
            isOlder={isPlaceholderData}
            sorting={sorting}
            onSort={(next) => {
              setSorting(next);
              setPage(1);
            }}
          />
        </div>
      )}
      <Pager total={data.total} isSorted={sorting !== null} page={page} onPage={setPage} />
    </div>
  );
}

type FiltersProps = {
  columns: readonly ResultColumn[];
  own: readonly Filter[];
  onChange: (filters: readonly Filter[]) => void;
  tools: ReactNode;
};

/** One value of one column at a time; what is filtered by stands beside it. */
function Filters({ columns, own, onChange, tools }: FiltersProps) {
  const { t } = useTranslation('analytics');
  const [column, setColumn] = useState<string | null>(null);
  const [value, setValue] = useState('');
  const names = columns.filter(({ type }) => type !== 'list').map(({ name }) => name);
  return (
    <form
      className={classes.filters}
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (column !== null && value.trim() !== '') {
          onChange([...own.filter((each) => each.column !== column), { column, value: value.trim() }]);
          setValue('');
        }
      }}
    >
      <Select
        size="xs"
        aria-label={t('table.column')}
        placeholder={t('table.column')}
        searchable
        data={names.map((name) => ({ value: name, label: columnTitle(name) }))}
        value={column}
        onChange={setColumn}
      />
      <TextInput
        size="xs"
        aria-label={t('table.value')}
        placeholder={t('table.value')}
        value={value}
        onChange={({ currentTarget }) => {
          setValue(currentTarget.value);
        }}
      />
      <Button
        type="submit"
        variant="default"
        leftSection={<IconFilter size={14} />}
        disabled={column === null || value.trim() === ''}
      >
        {t('table.filter')}
      </Button>
      {own.map((filter) => (
        <span key={filter.column} className={classes.chip}>
          {columnTitle(filter.column)}: {filter.value}
          <CloseButton
            size="xs"
            aria-label={t('table.without', { column: columnTitle(filter.column) })}
            onClick={() => {
              onChange(own.filter(({ column: name }) => name !== filter.column));
            }}
          />
        </span>
      ))}
      <span className={classes.spring} />
      {tools}
    </form>
  );
}

type RowsProps = Pick<Props, 'label' | 'without' | 'bars' | 'onRow'> & {
  page: TablePage;
  isOlder: boolean;
  sorting: Sorting | null;
  onSort: (sorting: Sorting | null) => void;
};

function Rows({ label, page, isOlder, sorting, onSort, without = nothing, bars = nothing, onRow }: RowsProps) {
  const { t } = useTranslation('analytics');
  // Instants are told in the zone of the account.
  useTimeZone((store) => store.chosen);
  const shown = page.columns
    .flatMap((column, place) => (without.includes(column.name) ? [] : [{ column, place }]))
    .sort(
      // What is said of a row stands first.
      (one, other) => Number(other.column.name === 'verdict') - Number(one.column.name === 'verdict'),
    );
  const largest = new Map(
    shown.map(({ column, place }) => [column.name, Math.max(0, ...page.rows.map((row) => Number(row[place]) || 0))]),
  );
  return (
    <table className={classes.table} data-stale={isOlder} aria-busy={isOlder}>
      <caption>{label}</caption>
      <thead>
        <tr>
          {shown.map(({ column }) => (
            <Head key={column.name} column={column} sorting={sorting} onSort={onSort} />
          ))}
          {onRow !== undefined && <td />}
        </tr>
      </thead>
      <tbody>
        {page.rows.map((row, at) => (
          // Rows have no key of their own, and a page of them never changes.
          <tr key={at}>
            {shown.map(({ column, place }) => (
              <td
                key={column.name}
                data-number={isNumber(column)}
                data-bar={bars.includes(column.name)}
                style={
                  bars.includes(column.name)
                    ? { '--share': barShare(row[place], largest.get(column.name) ?? 0) }
                    : undefined
                }
              >
                <CellView column={column} cell={row[place] ?? null} />
              </td>
            ))}
            {onRow !== undefined && (
              <td>
                <Button
                  variant="subtle"
                  size="compact-xs"
                  onClick={() => {
                    onRow(Object.fromEntries(page.columns.map(({ name }, place) => [name, row[place] ?? null])));
                  }}
                >
                  {t('drill.open')}
                </Button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type HeadProps = {
  column: ResultColumn;
  sorting: Sorting | null;
  onSort: (sorting: Sorting | null) => void;
};

function Head({ column, sorting, onSort }: HeadProps) {
  const { name } = column;
  const way = sorting?.column === name ? (sorting.isDescending ? 'descending' : 'ascending') : 'none';
  const title = columnTitle(name);
  return (
    <th scope="col" aria-sort={way} data-number={isNumber(column)} title={name}>
      {column.type === 'list' ? (
        title
      ) : (
        <button
          type="button"
          onClick={() => {
            onSort(nextSorting(sorting, column));
          }}
        >
          {title}
          {way === 'ascending' && <IconArrowUp size={13} aria-hidden />}
          {way === 'descending' && <IconArrowDown size={13} aria-hidden />}
        </button>
      )}
    </th>
  );
}

/** Of figures the largest are what one looks for first. */
export function nextSorting(sorting: Sorting | null, column: ResultColumn): Sorting | null {
  const startsDescending = isNumber(column);
  if (sorting?.column !== column.name) {
    return { column: column.name, isDescending: startsDescending };
  }
  return sorting.isDescending === startsDescending ? { ...sorting, isDescending: !startsDescending } : null;
}

const names: ReadonlySet<string> = new Set(['service', 'to_service', 'route', 'way', 'address', 'queue']);

function CellView({ column, cell }: { column: ResultColumn; cell: Cell }) {
  if (cell === null) {
    return <span className={classes.nothing}>–</span>;
  }
  if (column.name === 'change' && typeof cell === 'string') {
    return <ChangeSign change={cell as FlowChange} />;
  }
  if (column.name === 'disposition' && typeof cell === 'string') {
    return <DispositionSign disposition={cell as Disposition} />;
  }
  if (column.name === 'light' && typeof cell === 'string') {
    return <LightSign light={cell as Light} />;
  }
  if (names.has(column.name) && typeof cell === 'string') {
    return <ObjectName>{cell}</ObjectName>;
  }
  const text = cellText(column, cell);
  return <span title={text}>{text}</span>;
}

type PagerProps = { total: number; isSorted: boolean; page: number; onPage: (page: number) => void };

/** Of a sorted table the server turns over the first pages only, which is said on the last one of them. */
function Pager({ total, isSorted, page, onPage }: PagerProps) {
  const { t } = useTranslation('analytics');
  const reached = isSorted ? Math.min(total, sortedRowsMax) : total;
  const pages = Math.ceil(reached / pageRows);
  if (pages <= 1) {
    return null;
  }
  return (
    <nav className={classes.pager} aria-label={t('table.pages')}>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconChevronLeft size={14} />}
        disabled={page <= 1}
        onClick={() => {
          onPage(page - 1);
        }}
      >
        {t('table.previous')}
      </Button>
      <span role="status">
        {t('table.range', {
          from: numberText((page - 1) * pageRows + 1),
          to: numberText(Math.min(total, page * pageRows)),
          total: numberText(total),
        })}
      </span>
      <Button
        variant="default"
        size="compact-sm"
        rightSection={<IconChevronRight size={14} />}
        disabled={page >= pages}
        onClick={() => {
          onPage(page + 1);
        }}
      >
        {t('table.next')}
      </Button>
      {page >= pages && reached < total && <span>{t('table.bounded', { count: reached })}</span>}
    </nav>
  );
}
