import { Button } from '@mantine/core';
import { IconFlame } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';

import type { Run } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { showHeat } from '@/lib/heat-store';
import { tellProblem } from '@/lib/notices';
import { estateAddress } from '@/topology/sandbox';

import { sumsQuery } from '../api/tables';
import { stepsOf } from '../options/map';
import { sumsOf, restOf } from '../options/sums';
import { countOf } from '../options/records';
import { comparedText } from '../runs';

/** Steps of changed ways; the largest of an estate that has still more. */
const steps = { by: ['instance', 'from_instance', 'change'], of: ['conversations'], limit: 10_000 } as const;

/** Lays what changes over the map, and goes there. */
export function ShowOnMap({ run }: { run: Run }) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const show = useMutation({
    mutationFn: () => queries.query(sumsQuery(estate, run.id, 'heat', steps)),
    onError: tellProblem,
    onSuccess: (found) => {
      const sums = sumsOf(found);
      const figure = sums.rows.reduce((all, row) => all + countOf(row, 'conversations'), 0);
      const rest = restOf(sums, { groups: sums.rows.length, figure });
      const title = t('map.title', { compared: comparedText(run) });
      showHeat({
        estate,
        run: run.id,
        title: rest.groups > 0 ? t('map.most', { title, count: rest.groups }) : title,
        steps: stepsOf(sums.rows),
      });
      void navigate(`${estateAddress(estate)}/topology`);
    },
  });
  return (
    <Button
      leftSection={<IconFlame size={15} />}
      loading={show.isPending}
      onClick={() => {
        show.mutate();
      }}
    >
      {t('map.show')}
    </Button>
  );
}
