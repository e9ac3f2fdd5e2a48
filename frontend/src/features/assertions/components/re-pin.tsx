import { Button, Group, Modal, Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Assertion } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { i18n } from '@/i18n';
import { changeAssertion, runAssertions } from '@/lib/api/assertions';
import { asProblem } from '@/lib/errors';
import { tellDone } from '@/lib/notices';
import { keys } from '@/lib/query-client';

import { useRefresh } from '../use-assertions';
import classes from './assertions.module.css';

type Props = { estate: string; assertion: Assertion; onClose: () => void };

/** Accepts what comes of the question now as what is expected, after both have been shown. */
export function RePin({ estate, assertion, onClose }: Props) {
  const { t } = useTranslation('assertions');
  const refresh = useRefresh(estate);
  const { id, version, name } = assertion;
  const { revision } = useEstatePage();
  // A revision is named, so that a look at what would be accepted is not kept as a run.
  const now = useQuery({
    queryKey: [...keys.assertions(estate), 'now', id, version, revision],
    queryFn: () => runAssertions(estate, { revision, ids: [id] }),
    retry: false,
  });
  const accept = useMutation({
    mutationFn: () => changeAssertion(estate, id, { version, re_pin: true }),
    onSuccess: () => {
      onClose();
      tellDone(i18n.t('assertions:rePin.done', { name }));
    },
    onSettled: refresh,
  });
  const result = now.data?.results[0];
  const problem = accept.error ?? now.error;
  return (
    <Modal opened onClose={onClose} title={t('rePin.title', { name })} size="lg">
      <dl className={classes.facts}>
        <dt>{t('rePin.before')}</dt>
        <dd>{assertion.expected_text}</dd>
        <dt>{t('rePin.after')}</dt>
        <dd>
          {result?.actual_text ??
            (now.isPending ? <Skeleton height={20} /> : assertion.is_enabled ? '' : t('rePin.unknown'))}
        </dd>
      </dl>
      {result?.passed === true && <p className={classes.quiet}>{t('rePin.same')}</p>}
      {problem !== null && <ProblemPanel problem={asProblem(problem)} />}
      <Group gap={8} mt="md">
        <Button variant="default" onClick={onClose}>
          {t('rePin.keep')}
        </Button>
        <Button
          loading={accept.isPending}
          disabled={now.isPending}
          onClick={() => {
            accept.mutate();
          }}
        >
          {t('rePin.accept')}
        </Button>
      </Group>
    </Modal>
  );
}
