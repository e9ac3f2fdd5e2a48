import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import type { Estate } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter, useSetParameters } from '@/hooks/use-view-state';

import classes from './sql-console.module.css';
import { SessionPanel } from './session-panel';

/** The T-SQL console: which database, and a session on it. */
export function SqlConsole() {
  const { t } = useTranslation('sql');
  const estate = useEstatePage();
  const place = usePlace(estate);
  if (place === null) {
    return <EmptyState>{t('noDatabase', { estate: estate.name })}</EmptyState>;
  }
  return (
    <SessionPanel
      // The session belongs to its database: another one begins afresh, with its own transaction.
      key={estate.name}
      estate={estate}
      instance={place.instance}
      database={place.database}
      picker={<PlacePicker estate={estate} instance={place.instance} database={place.database} />}
    />
  );
}

/** The place in the address, else the first database that users have. */
function usePlace(estate: Estate): { instance: string; database: string } | null {
  const [instance] = useParameter('instance');
  const [database] = useParameter('database');
  const there = estate.instances.find(({ name }) => name === instance);
  const first = there ?? estate.instances.find((each) => firstDatabase(each) !== undefined);
  const found = there?.databases.find(({ name }) => name === database)?.name ?? (first && firstDatabase(first));
  return first === undefined || found === undefined ? null : { instance: first.name, database: found };
}

const systemDatabases = new Set(['master', 'msdb', 'tempdb', 'model']);

function firstDatabase({ databases }: Estate['instances'][number]): string | undefined {
  return (databases.find(({ name }) => !systemDatabases.has(name.toLowerCase())) ?? databases[0])?.name;
}

type PickerProps = { estate: Estate; instance: string; database: string };

function PlacePicker({ estate, instance, database }: PickerProps) {
  const { t } = useTranslation('sql');
  const setAll = useSetParameters();
  const here = estate.instances.find(({ name }) => name === instance);
  return (
    <div className={classes.place}>
      <Select
        aria-label={t('instance')}
        size="xs"
        searchable
        allowDeselect={false}
        data={estate.instances.filter(({ databases }) => databases.length > 0).map(({ name }) => name)}
        value={instance}
        onChange={(chosen) => {
          setAll({ instance: chosen, database: null });
        }}
      />
      <Select
        aria-label={t('database')}
        size="xs"
        searchable
        allowDeselect={false}
        data={here?.databases.map(({ name }) => name) ?? []}
        value={database}
        onChange={(chosen) => {
          setAll({ instance, database: chosen });
        }}
      />
    </div>
  );
}
