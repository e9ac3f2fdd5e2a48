import { IconMap2 } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { useMissingRight } from '@/hooks/use-rights';
import { samplesQuery } from '@/lib/api/samples-list';
import { tellProblem } from '@/lib/notices';
import { keys } from '@/lib/query-client';

import { loadSample } from '../api/sample-load';

/** "Take the tour": the sample that comes with the product, and on its map what there is to see. */
export function TourButton({ onReady }: { onReady: (estate: string) => void }) {
  const { t } = useTranslation('import');
  const missing = useMissingRight('edit');
  const queries = useQueryClient();
  const { data: samples = [] } = useQuery(samplesQuery);
  const first = samples[0]?.name;
  const load = useMutation({
    mutationFn: loadSample,
    onSuccess: async ({ estate }) => {
      await queries.invalidateQueries({ queryKey: keys.estates });
      onReady(estate);
    },
    onError: tellProblem,
  });
  return (
    <GuardedButton
      barred={missing}
      size="sm"
      variant="default"
      loading={load.isPending}
      leftSection={<IconMap2 size={17} />}
      onClick={() => {
        if (first !== undefined) {
          load.mutate(first);
        }
      }}
    >
      {t('start.tour')}
    </GuardedButton>
  );
}
