import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';

import { Badge } from '@/components/ui/badge';
import { DataTable, type Column } from '@/components/ui/data-table';
import { EmptyState } from '@/components/ui/empty-state';
import type { ImportNotice, ImportReport, ImportRow } from '@/contracts/api';
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

const columns: Column<ImportRow>[] = [
  {
    id: 'effect',
    title: 'Effect',
    width: 100,
    cell: ({ effect }) => <Badge verdict={effects[effect].verdict}>{effects[effect].word}</Badge>,
  },
  { id: 'verb', title: 'Statement', width: 180, cell: (row) => row.verb },
  { id: 'object', title: 'Object', cell: (row) => <span className={classes.mono} title={row.object}>{row.object}</span> },
  {
    id: 'place',
    title: 'Place',
    width: 170,
    cell: (row) => [row.instance, row.database].filter((part) => part !== null).join(' · '),
  },
  { id: 'line', title: 'File and line', width: 170, cell: (row) => <span className={classes.mono}>{`${row.file}:${row.line}`}</span> },
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
      <Notices notices={report.problems} kind="problem" />
      <Notices notices={report.warnings} kind="warning" />
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
          keyOf={(row) => `${row.file}:${row.line}:${row.verb}:${row.object}`}
          rowHeight={34}
          empty={<EmptyState>The scripts hold no statement.</EmptyState>}
        />
      </div>
    </>
  );
}

function Notices({ notices, kind }: { notices: readonly ImportNotice[]; kind: 'problem' | 'warning' }) {
  if (notices.length === 0) {
    return null;
  }
  return (
    <section className={classes.notices} data-kind={kind} aria-label={counted(notices.length, kind)}>
      <h3>{counted(notices.length, kind)}</h3>
      <ul>
        {notices.map((notice) => (
          <li key={`${notice.file}:${notice.line}:${notice.column}:${notice.detail}`}>
            <span className={classes.mono}>
              {notice.file}, line {notice.line}, column {notice.column}
            </span>
            <span>
              {notice.code !== null && <strong>{notice.code} · </strong>}
              {notice.detail} {notice.cure}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
