import { Button, Checkbox, NumberInput, SegmentedControl, Select, Skeleton } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';

import { EmptyState } from '@/components/ui/empty-state';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { SqlSection } from '@/components/ui/sql-text';
import { WarningList } from '@/components/ui/warning-list';
import type { ScriptAsked } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { asProblem } from '@/lib/errors';

import { downloadAddress, scriptQuery } from '../api/script-read';
import classes from './export-form.module.css';

type Mode = 'full' | 'delta' | 'rollback';

/** A name of an address; what somebody has typed there by hand is shown as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What is written, of what, and how; beside it the script itself, to be copied or taken away. */
export function ExportForm() {
  const { t } = useTranslation('export');
  const estate = useEstatePage();
  const [mode, setMode] = useState<Mode>('full');
  const [instance, setInstance] = useState<string | null>(null);
  const [database, setDatabase] = useState<string | null>(null);
  const [from, setFrom] = useState(Math.max(0, estate.revision - 1));
  const [hasGuards, setGuards] = useState(false);
  const [hasHeader, setHeader] = useState(true);
  const [parameters, setParameters] = useSearchParams();
  const place = parameters.getAll('place');
  const asked: ScriptAsked = {
    ...(place.length === 0 ? {} : { place }),
    ...(instance === null ? {} : { instance }),
    ...(database === null ? {} : { database }),
    ...(mode === 'full' ? {} : { from, rollback: mode === 'rollback' }),
    guards: hasGuards,
    header: hasHeader,
  };
  const { data, error, refetch } = useQuery(scriptQuery(estate.name, estate.revision, asked));
  const databases = estate.instances
    .filter((each) => instance === null || each.name === instance)
    .flatMap((each) => each.databases.map(({ name }) => name));
  return (
    <div className={classes.form}>
      <div className={classes.choices}>
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label={t('mode.label')}
          value={mode}
          onChange={setMode}
          data={(['full', 'delta', 'rollback'] as const).map((value) => ({ value, label: t(`mode.${value}`) }))}
        />
        <p>{t(`about.${mode}`)}</p>
        {mode !== 'full' && (
          <NumberInput
            label={t('from', { revision: estate.revision })}
            min={0}
            max={estate.revision}
            allowDecimal={false}
            value={from}
            onChange={(value) => {
              setFrom(Number(value));
            }}
          />
        )}
        {place.length > 0 && (
          <div className={classes.chosen}>
            <strong>{t('chosen', { count: place.length })}</strong>
            <ul>
              {place.map((one) => (
                <li key={one}>{one.split('/').map(decoded).join(' · ')}</li>
              ))}
            </ul>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                setParameters((before) => {
                  before.delete('place');
                  return before;
                });
              }}
            >
              {t('whole')}
            </Button>
          </div>
        )}
        {place.length === 0 && (
          <Select
            label={t('instance')}
            placeholder={t('all')}
            clearable
            value={instance}
            data={estate.instances.map(({ name }) => name)}
            onChange={(value) => {
              setInstance(value);
              setDatabase(null);
            }}
          />
        )}
        {place.length === 0 && (
          <Select
            label={t('database')}
            placeholder={t('all')}
            clearable
            value={database}
            data={[...new Set(databases)]}
            onChange={setDatabase}
          />
        )}
        <Checkbox
          label={t('guards')}
          checked={hasGuards}
          onChange={(event) => {
            setGuards(event.currentTarget.checked);
          }}
        />
        <Checkbox
          label={t('header')}
          description={t('headerHint')}
          checked={hasHeader}
          onChange={(event) => {
            setHeader(event.currentTarget.checked);
          }}
        />
        <Button
          component="a"
          size="sm"
          leftSection={<IconDownload size={16} />}
          href={downloadAddress(estate.name, asked)}
        >
          {t('download')}
        </Button>
      </div>
      <div className={classes.script}>
        {error !== null && <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Skeleton height={320} />}
        {data?.statements.length === 0 && <EmptyState>{t(mode === 'full' ? 'nothing' : 'noChanges')}</EmptyState>}
        {data !== undefined && (
          <WarningList
            title={t('warnings')}
            lines={data.warnings.map(({ line, detail }) => t('line', { line, detail }))}
          />
        )}
        {data !== undefined && data.statements.length > 0 && <SqlSection text={data.text} isOfPage />}
      </div>
    </div>
  );
}
