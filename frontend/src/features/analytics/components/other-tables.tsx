import { Select } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Run } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';

import { Card } from './card';
import { ServerTable } from './server-table';

/** Every table of a run, also the long ones that no chart shows. */
export function OtherTables({ run }: { run: Run }) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const [chosen, choose] = useState(run.tables[0]?.name ?? null);
  if (chosen === null) {
    return null;
  }
  return (
    <Card run={run} table={chosen} title={t('tables.title')} about={t('tables.about')}>
      <ServerTable
        key={chosen}
        estate={estate}
        run={run.id}
        table={chosen}
        label={chosen}
        tools={
          <Select
            size="xs"
            aria-label={t('manifest.table')}
            allowDeselect={false}
            data={run.tables.map(({ name }) => name)}
            value={chosen}
            onChange={choose}
          />
        }
      />
    </Card>
  );
}
