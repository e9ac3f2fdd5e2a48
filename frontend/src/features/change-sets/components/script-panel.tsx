import { Button, Skeleton } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { SqlSection } from '@/components/ui/sql-text';
import { WarningList } from '@/components/ui/warning-list';
import type { ChangeSet } from '@/contracts/api';
import { asProblem } from '@/lib/errors';

import { changeSetScriptQuery } from '../api/script-read';
import classes from './change-sets.module.css';

/** The script of a draft, in the order in which a server takes it, with what a person has to know before it is run. */
export function ScriptPanel({
  estate,
  changeSet,
  isRollback,
}: {
  estate: string;
  changeSet: ChangeSet;
  isRollback: boolean;
}) {
  const { t } = useTranslation('review');
  const { data, error, refetch } = useQuery(changeSetScriptQuery(estate, changeSet, isRollback));
  if (data === undefined) {
    return error === null ? (
      <Skeleton height={240} />
    ) : (
      <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
    );
  }
  const file = new URLSearchParams({ change_set: String(changeSet.number), rollback: String(isRollback) });
  return (
    <div className={classes.script}>
      <p className={classes.why}>{isRollback ? t('script.back') : t('script.forward')}</p>
      <Button
        component="a"
        size="xs"
        variant="default"
        leftSection={<IconDownload size={14} />}
        href={`/api/v1/estates/${encodeURIComponent(estate)}/script.sql?${file.toString()}`}
      >
        {t('script.download')}
      </Button>
      <WarningList
        title={t('script.warnings')}
        lines={data.warnings.map(({ line, detail }) => t('script.warning', { line, detail }))}
      />
      <SqlSection text={data.text} />
    </div>
  );
}
