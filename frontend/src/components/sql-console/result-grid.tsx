import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { DataTable, type Column } from '@/components/ui/data-table';
import type { ConsoleCell } from '@/contracts/console-messages';
import { copyTable } from '@/lib/copy-table';

import { cellText, columnWidth, isNumberType, isTimeType, readableBytes, resultText } from './cells';
import type { Output } from './session';
import classes from './outputs.module.css';

type Row = { key: string; cells: readonly ConsoleCell[] };
type Result = Extract<Output, { kind: 'result' }>;

const nullWord = 'NULL';
const rowHeight = 26;
const headHeight = 30;
const rowsHigh = 12;
const scrollbar = 12;

/** A result set: its rows in a grid of their own, the row that is chosen whole below it. */
export function ResultGrid({
  result,
  number,
  lineLink,
}: {
  result: Result;
  number: number;
  lineLink: React.ReactNode;
}) {
  const { t } = useTranslation('sql');
  const [chosen, setChosen] = useState<string | null>(null);
  const label = t('result.label', { number });
  const columns = useColumns(result);
  const rows = useMemo(() => result.rows.map((cells, at): Row => ({ key: String(at), cells })), [result.rows]);
  const height = headHeight + Math.min(rowsHigh, Math.max(1, rows.length)) * rowHeight + scrollbar;
  // No wider than what it holds: numbers stay beside what they belong to.
  const width = columns.reduce((sum, column) => sum + (column.width ?? 0), 0);
  const row = chosen === null ? undefined : rows[Number(chosen)];
  return (
    <div className={classes.result}>
      <div className={classes.resultHead}>
        <span>{label}</span>
        <span>{t('result.rows', { count: rows.length })}</span>
        {lineLink}
        <span className={classes.spring} />
        <CopyResult result={result} />
      </div>
      {columns.length > 0 && (
        <div style={{ height: rows.length === 0 ? headHeight + 96 : height, width, maxWidth: '100%' }}>
          <DataTable
            label={label}
            columns={columns}
            rows={rows}
            keyOf={({ key }) => key}
            rowHeight={rowHeight}
            empty={t('result.none')}
            selected={chosen}
            onSelect={({ key }) => {
              setChosen(key === chosen ? null : key);
            }}
          />
        </div>
      )}
      {row !== undefined && <WholeRow result={result} row={row} />}
    </div>
  );
}

function useColumns({ columns, rows }: Result): Column<Row>[] {
  const { t } = useTranslation('sql');
  return useMemo(
    () =>
      columns.map((column, at): Column<Row> => ({
        id: String(at),
        title: column.name === '' ? t('result.unnamed') : column.name,
        hint: isTimeType(column.type) ? t('result.utc', { type: column.type }) : column.type,
        width: columnWidth(column, at, rows, t('result.unnamed')),
        isNumber: isNumberType(column.type),
        cell: ({ cells }) => <CellText cell={cells[at] ?? null} type={column.type} />,
      })),
    [columns, rows, t],
  );
}

/** NULL in letters that are told apart; bytes with what they say when they are read as text. */
function CellText({ cell, type }: { cell: ConsoleCell; type: string }) {
  if (cell === null) {
    return <span className={classes.null}>{nullWord}</span>;
  }
  const text = cellText(cell, type);
  const read = readableBytes(cell, type);
  return (
    <span className={classes.cell} title={text.slice(0, 400)}>
      {read === null || text.length <= 18 ? text : `${text.slice(0, 14)}…`}
      {read !== null && <span className={classes.read}>{read}</span>}
    </span>
  );
}

function WholeRow({ result, row }: { result: Result; row: Row }) {
  const { t } = useTranslation('sql');
  return (
    <dl className={classes.row} aria-label={t('result.row', { number: Number(row.key) + 1 })}>
      {result.columns.map((column, at) => {
        const cell = row.cells[at] ?? null;
        const read = readableBytes(cell, column.type);
        return (
          // Columns may share a name, and may have none.
          <div key={at} style={{ display: 'contents' }}>
            <dt>{column.name === '' ? t('result.column', { number: at + 1 }) : column.name}</dt>
            <dd className={cell === null ? classes.null : undefined}>
              {cellText(cell, column.type)}
              {read !== null && <span className={classes.read}>{read}</span>}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function CopyResult({ result: { columns, rows } }: { result: Result }) {
  const { t } = useTranslation('sql');
  const [word, setWord] = useState<'copy' | 'copied' | 'notCopied'>('copy');
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-xs"
      onClick={() => {
        void copyTable(resultText(columns, rows)).then((isDone) => {
          setWord(isDone ? 'copied' : 'notCopied');
        });
      }}
    >
      {t(`result.${word}`)}
    </Button>
  );
}
