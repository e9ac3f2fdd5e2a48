import { Button, Tooltip } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { ChangeSet } from '@/contracts/api';
import { draftFlowsQuery } from '@/features/change-sets/api/draft-flows-read';

import classes from './draft-bar.module.css';

type Props = { estate: string; changeSet: ChangeSet | undefined };

/** Who edits goes on: what the draft loses is asked once the last edit is this old, in milliseconds. */
const pause = 500;

/** How many flows the draft loses, and the way to them; what is told of an older state of it is grey. */
export function DraftLosses({ estate, changeSet }: Props) {
  const [asked] = useDebouncedValue(changeSet, pause);
  const current = asked ?? changeSet;
  return current?.state !== 'open' ? null : (
    <Losses estate={estate} changeSet={current} sequence={changeSet?.sequence ?? current.sequence} />
  );
}

function Losses({ estate, changeSet, sequence }: { estate: string; changeSet: ChangeSet; sequence: number }) {
  const { t } = useTranslation('shell');
  const { data: flows, isPlaceholderData } = useQuery(draftFlowsQuery(estate, changeSet, 'lost', 1));
  if (flows?.number !== changeSet.number || flows.lost === 0) {
    return null;
  }
  const hint = t('draft.lostHint', { unticked: flows.unticked });
  return (
    <Tooltip label={hint} multiline maw={360}>
      <Button
        component={Link}
        size="xs"
        variant="default"
        to={`/estates/${encodeURIComponent(estate)}/changes/${changeSet.number}?tab=flows`}
        leftSection={flows.unticked > 0 && <VerdictIcon verdict="lost" size={14} />}
        aria-description={hint}
        data-stale={isPlaceholderData || flows.sequence !== sequence}
        className={classes.losses}
      >
        {t('draft.lost', { count: flows.lost })}
      </Button>
    </Tooltip>
  );
}
