import { Menu } from '@mantine/core';
import { IconPackageImport } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { useMissingRight } from '@/hooks/use-rights';
import { samplesQuery } from '@/lib/api/samples-list';
import { asProblem } from '@/lib/errors';
import { keys } from '@/lib/query-client';

import { loadSample } from '../api/sample-load';

/**
 * "Load sample": the estates that come with the product. Where one is there already, a draft may bring back what it
 * lacks.
 */
export function SampleMenu({ onLoaded }: { onLoaded: (estate: string, changeSet: number | null) => void }) {
  const { t } = useTranslation('import');
  const barred = useMissingRight('edit');
  const queries = useQueryClient();
  const { data: samples = [] } = useQuery(samplesQuery);
  const load = useMutation({
    mutationFn: loadSample,
    onSuccess: async ({ estate, change_set: changeSet }) => {
      await queries.invalidateQueries({ queryKey: keys.estates });
      onLoaded(estate, changeSet);
    },
  });
  return (
    <div>
      <Menu position="bottom-start" shadow="md" width={340} disabled={barred !== null}>
        <Menu.Target>
          <GuardedButton
            barred={barred}
            size="sm"
            variant="default"
            loading={load.isPending}
            leftSection={<IconPackageImport size={17} />}
          >
            {t('sample.load')}
          </GuardedButton>
        </Menu.Target>
        <Menu.Dropdown>
          {samples.map((sample) => (
            <Menu.Item
              key={sample.name}
              onClick={() => {
                load.mutate(sample.name);
              }}
            >
              <strong>{sample.title}</strong>
              <br />
              {sample.description}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {load.isError && <ProblemPanel problem={asProblem(load.error)} />}
    </div>
  );
}
