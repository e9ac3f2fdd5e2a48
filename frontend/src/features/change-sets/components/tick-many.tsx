import { Button, Group, Modal, Radio, ScrollArea, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import type { ChangeSet } from '@/contracts/api';
import { asProblem } from '@/lib/errors';

import { lostFlowsQuery } from '../api/draft-flows-read';
import { scopesOf, type Scope } from '../flow-groups';
import { useIntend } from '../use-flow-impact';
import classes from './flow-impact.module.css';

type Props = { estate: string; changeSet: ChangeSet; onClose: () => void };

/** Ticks all lost flows, or those of a database or a route, with their number said before. */
export function TickMany({ estate, changeSet, onClose }: Props) {
  const { t } = useTranslation('impact');
  const { data, error, refetch } = useQuery(lostFlowsQuery(estate, changeSet));
  return (
    <Modal opened onClose={onClose} title={t('tickMany.title')} size="lg">
      {data !== undefined ? (
        <Scopes estate={estate} number={changeSet.number} scopes={scopesOf(data)} onClose={onClose} />
      ) : error === null ? (
        <Skeleton height={120} />
      ) : (
        <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
      )}
    </Modal>
  );
}

type ScopesProps = { estate: string; number: number; scopes: readonly Scope[]; onClose: () => void };

function Scopes({ estate, number, scopes, onClose }: ScopesProps) {
  const { t } = useTranslation('impact');
  const [chosen, choose] = useState<string | null>(null);
  const intend = useIntend(estate, number);
  const scope = scopes.find(({ key }) => key === chosen);
  const label = ({ kind, place, route, keys: { length: count } }: Scope) =>
    kind === 'all'
      ? t('tickMany.all', { count })
      : kind === 'database'
        ? t('tickMany.database', { count, place })
        : route === ''
          ? t('tickMany.noRoute', { count, place })
          : t('tickMany.route', { count, place, route });
  return (
    <Stack gap="md">
      <p className={classes.summary}>{t('tickMany.about')}</p>
      <ScrollArea.Autosize mah={360} viewportProps={{ tabIndex: 0 }}>
        <Radio.Group aria-label={t('tickMany.which')} value={chosen} onChange={choose}>
          <Stack gap={8}>
            {scopes.map((each) => (
              <Radio key={each.key} value={each.key} label={label(each)} />
            ))}
          </Stack>
        </Radio.Group>
      </ScrollArea.Autosize>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('tickMany.cancel')}
        </Button>
        <Button
          disabled={scope === undefined}
          loading={intend.isPending}
          onClick={() => {
            intend.mutate({ keys: scope?.keys ?? [], intended: true }, { onSuccess: onClose });
          }}
        >
          {t('tickMany.do', { count: scope?.keys.length ?? 0 })}
        </Button>
      </Group>
    </Stack>
  );
}
