import { Button, SegmentedControl } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { DataTable, type Column } from '@/components/ui/data-table';
import { EmptyState } from '@/components/ui/empty-state';
import { ObjectName } from '@/components/ui/object-name';
import type { ImportProblem, ImportRow, ImportWarning } from '@/contracts/api';
import { sentence } from '@/lib/errors';

import type { ImportOutcome } from '../api/import-run';
import { countEffects, effectOrder, verdictOf, type Effect } from '../effects';
import { allRows } from '../left-out';
import { Backlogs } from './import-result';
import classes from './import-wizard.module.css';

const noticesMax = 200;

function columnsIn(t: TFunction<'import'>): Column<ImportRow>[] {
  return [
    {
      id: 'effect',
      title: t('preview.effect'),
      width: 110,
      cell: ({ effect }) => <Badge verdict={verdictOf[effect]}>{t(`effect.${effect}`)}</Badge>,
    },
    {
      id: 'verb',
      title: t('preview.statement'),
      width: 164,
      cell: (row) => `${row.verb} ${row.object_kind.toUpperCase()}`,
    },
    { id: 'object', title: t('preview.object'), cell: (row) => <ObjectCell row={row} /> },
    {
      id: 'place',
      title: t('preview.place'),
      width: 140,
      cell: (row) => [row.instance, row.database].filter((part) => part !== null).join(' · '),
    },
    {
      id: 'line',
      title: t('preview.line'),
      width: 150,
      cell: (row) => <span className={classes.mono}>{`${row.file}:${row.line}`}</span>,
    },
  ];
}

type Props = { report: ImportOutcome; onLeaveOut: (problem: ImportProblem) => void };

/** What every statement does, the problems first. */
export function ImportPreview({ report, onLeaveOut }: Props) {
  const { t } = useTranslation('import');
  const [shown, setShown] = useState<Effect | 'all'>('all');
  const everything = useMemo(() => allRows(report), [report]);
  const counts = countEffects(report);
  const total = effectOrder.reduce((sum, effect) => sum + (counts[effect] ?? 0), 0);
  const rows = shown === 'all' ? everything : everything.filter((row) => row.effect === shown);
  return (
    <>
      <Problems problems={report.problems} onLeaveOut={onLeaveOut} />
      <Warnings warnings={report.warnings} />
      <Backlogs backlogs={report.backlogs} />
      <SegmentedControl
        size="xs"
        className={classes.effects}
        aria-label={t('preview.filter')}
        value={shown}
        onChange={setShown}
        data={[
          { value: 'all', label: t('preview.all', { count: total }) },
          ...effectOrder
            .filter((effect) => (counts[effect] ?? 0) > 0)
            .map((effect) => ({ value: effect, label: `${t(`effect.${effect}`)} ${counts[effect] ?? 0}` })),
        ]}
      />
      {total > everything.length && (
        <p className={classes.hint}>{t('preview.shortened', { shown: everything.length, total })}</p>
      )}
      <div className={classes.rows}>
        <DataTable
          label={t('preview.rows')}
          columns={columnsIn(t)}
          rows={rows}
          keyOf={(row) => `${row.file}:${row.line}:${row.verb}:${row.object_name}`}
          rowHeight={34}
          empty={<EmptyState>{t('preview.empty')}</EmptyState>}
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

function Problems({
  problems,
  onLeaveOut,
}: {
  problems: readonly ImportProblem[];
  onLeaveOut: (problem: ImportProblem) => void;
}) {
  const { t } = useTranslation('import');
  if (problems.length === 0) {
    return null;
  }
  return (
    <section className={classes.notices} data-kind="problem" role="alert">
      <h3>{t('problems.heading', { count: problems.length })}</h3>
      <ul>
        {problems.slice(0, noticesMax).map((problem) => (
          <li key={`${problem.file}:${problem.line}:${problem.column}:${problem.detail}`}>
            <span className={classes.mono}>
              {t('problems.place', { file: problem.file, line: problem.line, column: problem.column })}
            </span>
            <span>
              <strong>{problem.code} · </strong>
              {sentence(problem.detail)} {problem.why} {problem.cure}
            </span>
            <Button
              variant="default"
              size="compact-xs"
              aria-label={t('problems.leaveOutThis', { file: problem.file, line: problem.line })}
              onClick={() => {
                onLeaveOut(problem);
              }}
            >
              {t('problems.leaveOut')}
            </Button>
          </li>
        ))}
        <Rest of={problems} />
      </ul>
    </section>
  );
}

/** A script of ten thousand lines may have as many notices; nobody reads them all, and the page should not hang. */
function Rest({ of }: { of: readonly unknown[] }) {
  const { t } = useTranslation('import');
  return of.length > noticesMax && <li>{t('preview.more', { count: of.length - noticesMax })}</li>;
}

function Warnings({ warnings }: { warnings: readonly ImportWarning[] }) {
  const { t } = useTranslation('import');
  if (warnings.length === 0) {
    return null;
  }
  return (
    <section className={classes.notices} aria-label={t('warnings.label')}>
      <h3>{t('warnings.heading', { count: warnings.length })}</h3>
      <ul>
        {warnings.slice(0, noticesMax).map(({ file, line, detail }) => (
          <li key={`${file}:${line}:${detail}`}>
            <span className={classes.mono}>{t('warnings.place', { file, line })}</span>
            <span>{detail}</span>
          </li>
        ))}
        <Rest of={warnings} />
      </ul>
    </section>
  );
}
