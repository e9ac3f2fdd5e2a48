import { Button, SegmentedControl } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useId, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { Run } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';

import { downloadAddress } from '../api/tables';
import classes from './card.module.css';

type Props = {
  run: Run;
  /** The table of the run that it shows. */
  table: string;
  title: string;
  about?: ReactNode;
  /** Nothing for what is a table alone. */
  chart?: ReactNode;
  children: ReactNode;
};

/** One result of a run: as a chart and as its table, with both files of it. */
export function Card({ run, table, title, about, chart, children }: Props) {
  const { t } = useTranslation('analytics');
  const id = useId();
  const [view, setView] = useState<'chart' | 'table'>(chart === undefined ? 'table' : 'chart');
  return (
    <section className={classes.card} aria-labelledby={id} data-table={table}>
      <header className={classes.head}>
        <h2 id={id}>{title}</h2>
        <span className={classes.spring} />
        {chart !== undefined && (
          <SegmentedControl
            size="xs"
            aria-label={t('card.view', { title })}
            data={[
              { value: 'chart', label: t('card.chart') },
              { value: 'table', label: t('card.table') },
            ]}
            value={view}
            onChange={setView}
          />
        )}
        <Downloads run={run} table={table} />
      </header>
      {about !== undefined && <p className={classes.about}>{about}</p>}
      {view === 'chart' ? chart : children}
    </section>
  );
}

/** The whole table as files. */
export function Downloads({ run, table }: { run: Run; table: string }) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  return (
    <span className={classes.files}>
      {(['csv', 'parquet'] as const).map((format) => (
        <Button
          key={format}
          component="a"
          variant="default"
          leftSection={<IconDownload size={14} />}
          href={downloadAddress(estate, run.id, table, format)}
          aria-label={t(`card.${format}Of`, { table })}
        >
          {t(`card.${format}`)}
        </Button>
      ))}
    </span>
  );
}
