import { Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import { GuardedButton } from '@/components/ui/guarded-button';
import { useMissingRight } from '@/hooks/use-rights';
import { i18n } from '@/i18n';
import { assertFlows } from '@/lib/api/assertions';
import { tellDone, tellProblem } from '@/lib/notices';

import { useRefresh } from '../use-assertions';

/** Nothing is asserted yet: the ways to begin. */
export function NoAssertions({ estate }: { estate: string }) {
  const { t } = useTranslation('assertions');
  return <EmptyState action={<FromFlows estate={estate} />}>{t('empty')}</EmptyState>;
}

/** An assertion of each flow that has none. */
export function FromFlows({ estate }: { estate: string }) {
  const { t } = useTranslation('assertions');
  const missing = useMissingRight('edit');
  const refresh = useRefresh(estate);
  const make = useMutation({
    mutationFn: (which: 'observed' | 'possible') => assertFlows(estate, which),
    onSuccess: ({ created, already, not_asked: notAsked }) => {
      tellDone(i18n.t('assertions:fromFlows.done', { created, already, notAsked }));
    },
    onError: tellProblem,
    onSettled: refresh,
  });
  return (
    <Group gap={8}>
      {(['observed', 'possible'] as const).map((which) => (
        <GuardedButton
          key={which}
          barred={missing}
          variant={which === 'observed' ? 'filled' : 'default'}
          loading={make.isPending && make.variables === which}
          onClick={() => {
            make.mutate(which);
          }}
        >
          {t(`fromFlows.${which}`)}
        </GuardedButton>
      ))}
    </Group>
  );
}
