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

import { chartQuery } from '../api/tables';
import { stepsOf } from '../options/map';
import { records } from '../options/records';
import { comparedText } from '../runs';

const most = { column: 'conversations', isDescending: true } as const;

/** Lays what changes over the map, and goes there. */
export function ShowOnMap({ run }: { run: Run }) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const show = useMutation({
    mutationFn: () => queries.query(chartQuery(estate, run.id, 'heat', most)),
    onError: tellProblem,
    onSuccess: (page) => {
      showHeat({
        estate,
        run: run.id,
        title: t('map.title', { compared: comparedText(run) }),
        steps: stepsOf(records(page)),
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
