import { Select } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { Run } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { verdict as colours } from '@/theme/tokens';

import { BarsChart } from '../charts/bars-chart';
import type { Picked } from '../charts/echart';
import { verdictWord } from '../columns';
import { Card } from '../components/card';
import { ChartPart } from '../components/chart-part';
import { ServerTable } from '../components/server-table';
import type { Row } from '../options/records';
import { auditOf, auditVerdicts, signOf, type AuditVerdict } from '../options/verdicts';
import classes from './views.module.css';

const without = ['estate'] as const;

/** Whether every message arrived exactly once and in order, and which ones did not. */
export function AuditView({ run }: { run: Run }) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const [verdict, setVerdict] = useState<AuditVerdict | null>(null);
  const table = { estate, run: run.id, without };
  return (
    <>
      <Card
        run={run}
        table="summary"
        title={t('audit.summary')}
        chart={
          <ChartPart run={run} table="summary" none={t('audit.none')}>
            {(rows) => <Summary rows={rows} onPick={setVerdict} />}
          </ChartPart>
        }
      >
        <ServerTable {...table} table="summary" label={t('audit.summary')} none={t('audit.none')} />
      </Card>
      <Card run={run} table="examples" title={t('audit.examples')} about={t('audit.examplesAbout')}>
        <ServerTable
          key={verdict ?? ''}
          {...table}
          table="examples"
          label={t('audit.examples')}
          fixed={verdict === null ? [] : [{ column: 'verdict', value: verdict }]}
          none={verdict === null ? t('audit.noExamples') : t('audit.noExamplesOf', { verdict: verdictWord(verdict) })}
          tools={
            <Select
              size="xs"
              aria-label={t('column.verdict')}
              placeholder={t('audit.everyVerdict')}
              clearable
              data={auditVerdicts.map((value) => ({ value, label: verdictWord(value) }))}
              value={verdict}
              onChange={(value) => {
                setVerdict(value);
              }}
            />
          }
        />
      </Card>
      <Card run={run} table="directions" title={t('audit.directions')} about={t('audit.directionsAbout')}>
        <ServerTable
          {...table}
          table="directions"
          label={t('audit.directions')}
          fixed={inexact}
          without={[...without, 'is_exact']}
          none={t('audit.allExact')}
        />
      </Card>
    </>
  );
}

const inexact = [{ column: 'is_exact', value: 'false' }] as const;

function Summary({ rows, onPick }: { rows: Row[]; onPick: (verdict: AuditVerdict) => void }) {
  const { t } = useTranslation('analytics');
  const audit = useMemo(() => auditOf(rows), [rows]);
  const sets = useMemo(() => [t('column.messages')], [t]);
  const bars = useMemo(
    () =>
      auditVerdicts.map((verdict) => ({
        name: t(`verdict.${verdict}.word`),
        figures: [audit.counts[verdict]],
        colour: colours[signOf[verdict]],
      })),
    [audit, t],
  );
  const found = auditVerdicts.filter((verdict) => audit.counts[verdict] > 0);
  return (
    <>
      <p className={classes.sentence}>
        <VerdictIcon
          verdict={audit.broken > 0 ? 'lost' : audit.counts.unseen > 0 ? 'unknown' : 'delivered'}
          size={20}
        />
        {t('audit.sentence', { sent: audit.sent, broken: audit.broken, directions: audit.directions })}
      </p>
      {audit.counts.unseen > 0 && <p className={classes.quiet}>{t('audit.unseen', { count: audit.counts.unseen })}</p>}
      <BarsChart
        label={t('audit.chartLabel')}
        bars={bars}
        sets={sets}
        onPick={({ dataIndex }: Picked) => {
          const verdict = auditVerdicts[dataIndex];
          if (verdict !== undefined) {
            onPick(verdict);
          }
        }}
      />
      <ul className={classes.verdicts} aria-label={t('audit.meaning')}>
        {found.map((verdict) => (
          <li key={verdict}>
            <VerdictIcon verdict={signOf[verdict]} size={15} />
            <span>
              <strong>{verdictWord(verdict)}</strong>: {t(`verdict.${verdict}.about`)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
