import { Button, Progress } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import type { Job } from '@/contracts/api';
import { tellProblem } from '@/lib/notices';

import { cancelJob } from '../api/import-run';
import classes from './import-wizard.module.css';

/** How far a long import is, and the way to end it. */
export function ImportProgress({ job }: { job: Job }) {
  const { t } = useTranslation('import');
  const cancel = useMutation({ mutationFn: () => cancelJob(job.id), onError: tellProblem });
  const words =
    job.state === 'cancelling'
      ? t('progress.cancelling')
      : job.stage === 'reading'
        ? t('progress.reading')
        : job.stage === 'planning'
          ? t('progress.planning')
          : t('progress.waiting');
  const percent = job.total === 0 ? 0 : Math.min(100, Math.round((100 * job.done) / job.total));
  return (
    <div className={classes.progress}>
      <span>{words}</span>
      <Progress.Root size="lg">
        <Progress.Section value={percent} aria-label={words} aria-valuetext={`${percent} %`} />
      </Progress.Root>
      <span className={classes.mono}>{percent} %</span>
      <Button
        size="xs"
        variant="default"
        disabled={job.state === 'cancelling' || cancel.isPending}
        onClick={() => {
          cancel.mutate();
        }}
      >
        {t('progress.cancel')}
      </Button>
    </div>
  );
}
