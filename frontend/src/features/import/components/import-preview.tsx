import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';

import { Badge } from '@/components/ui/badge';
import { DataTable, type Column } from '@/components/ui/data-table';
import { ObjectName } from '@/components/ui/object-name';
import { EmptyState } from '@/components/ui/empty-state';
import type { ImportProblem, ImportReport, ImportRow, ImportWarning } from '@/contracts/api';
import { sentence } from '@/lib/errors';
import type { Verdict } from '@/theme/tokens';
import { counted } from '@/topology/words';

import classes from './import-wizard.module.css';

type Effect = ImportRow['effect'];

const effects: Record<Effect, { word: string; verdict: Verdict | undefined }> = {
  add: { word: 'Add', verdict: 'delivered' },
  change: { word: 'Change', verdict: 'forwarded' },
  remove: { word: 'Remove', verdict: 'lost' },
  same: { word: 'Same', verdict: undefined },
  ignored: { word: 'Ignored', verdict: undefined },
  error: { word: 'Error', verdict: 'error' },
};

const order: readonly Effect[] = ['error', 'add', 'change', 'remove', 'same', 'ignored'];

const noticesMax = 200;

const columns: Column<ImportRow>[] = [
  {
    id: 'effect',
    title: 'Effect',
    width: 96,
    cell: ({ effect }) => <Badge verdict={effects[effect].verdict}>{effects[effect].word}</Badge>,
  },
  { id: 'verb', title: 'Statement', width: 164, cell: (row) => `${row.verb} ${row.object_kind.toUpperCase()}` },
  { id: 'object', title: 'Object', cell: (row) => <ObjectCell row={row} /> },
  {
    id: 'place',
    title: 'Place',
    width: 140,
    cell: (row) => [row.instance, row.database].filter((part) => part !== null).join(' · '),
  },
  { id: 'line', title: 'File and line', width: 128, cell: (row) => <span className={classes.mono}>{`${row.file}:${row.line}`}</span> },
];

/** What every statement of the scripts does, the problems first. */
export function ImportPreview({ report }: { report: ImportReport }) {
  const [shown, setShown] = useState<Effect | 'all'>('all');
  const counts = new Map<Effect, number>();
  for (const row of report.rows) {
    counts.set(row.effect, (counts.get(row.effect) ?? 0) + 1);
  }
  const rows = shown === 'all' ? report.rows : report.rows.filter((row) => row.effect === shown);
  return (
    <>
      <Problems problems={report.problems} />
      <Warnings warnings={report.warnings} />
      <SegmentedControl
        size="xs"
        className={classes.effects}
        aria-label="Which statements are shown"
        value={shown}
        onChange={setShown}
        data={[
          { value: 'all', label: `All ${report.rows.length}` },
          ...order
            .filter((effect) => counts.has(effect))
            .map((effect) => ({ value: effect, label: `${effects[effect].word} ${counts.get(effect) ?? 0}` })),
        ]}
      />
      <div className={classes.rows}>
        <DataTable
          label="Statements"
          columns={columns}
          rows={rows}
          keyOf={(row) => `${row.file}:${row.line}:${row.verb}:${row.object_name}`}
          rowHeight={34}
          empty={<EmptyState>The scripts hold no statement.</EmptyState>}
        />
      </div>
    </>
  );
}

function ObjectCell({ row }: { row: ImportRow }) {
  return (
    <span className={classes.object} title={row.text === '' ? row.object_name : row.text}>
      {row.object_name !== '' && <ObjectName>{row.object_name}</ObjectName>}
      {row.text !== '' && <span className={classes.note}>{row.text}</span>}
    </span>
  );
}

function Problems({ problems }: { problems: readonly ImportProblem[] }) {
  if (problems.length === 0) {
    return null;
  }
  return (
    <section className={classes.notices} data-kind="problem" role="alert">
      <h3>{counted(problems.length, 'problem')}</h3>
      <ul>
        {problems.slice(0, noticesMax).map(({ file, line, column, code, detail, why, cure }) => (
          <li key={`${file}:${line}:${column}:${detail}`}>
            <span className={classes.mono}>{`${file}, line ${line}, column ${column}`}</span>
            <span>
              <strong>{code} · </strong>
              {sentence(detail)} {why} {cure}
            </span>
          </li>
        ))}
        <Rest of={problems} />
      </ul>
    </section>
  );
}

/** A script of ten thousand lines may have as many notices; nobody reads them all, and the page should not hang. */
function Rest({ of }: { of: readonly unknown[] }) {
  return of.length > noticesMax && <li>and {of.length - noticesMax} more.</li>;
}

function Warnings({ warnings }: { warnings: readonly ImportWarning[] }) {
  if (warnings.length === 0) {
    return null;
  }
  return (
    <section className={classes.notices} aria-label="Warnings">
      <h3>{counted(warnings.length, 'warning')}</h3>
      <ul>
        {warnings.slice(0, noticesMax).map(({ file, line, detail }) => (
          <li key={`${file}:${line}:${detail}`}>
            <span className={classes.mono}>{`${file}, line ${line}`}</span>
            <span>{detail}</span>
          </li>
        ))}
        <Rest of={warnings} />
      </ul>
    </section>
  );
}
