import { IconDatabaseExport } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { InstanceInLake, Lake } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useNow } from '@/hooks/use-now';
import { useMissingRight } from '@/hooks/use-rights';
import { useParameter } from '@/hooks/use-view-state';
import { bytesText, numberText } from '@/i18n';
import { asProblem, readProblem } from '@/lib/errors';
import { relativeTime, useAbsoluteTime } from '@/lib/time';

import { exportLake, isJobUnderWay, jobQuery } from '../api/lake';
import classes from './analytics.module.css';
import { ImportTrace } from './import-trace';
import { LakeJob } from './lake-job';

/** What the lake has, what instances have beside it, and the button that brings that over. */
export function LakePart({ lake }: { lake: Lake }) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const missing = useMissingRight('operate');
  const [job, setJob] = useParameter('export');
  const [imported, setImported] = useParameter('import');
  const barred = missing ?? (lake.is_available ? null : t('setup.missing'));
  const begin = useMutation({
    mutationFn: () => exportLake(estate),
    onSuccess: ({ id }) => {
      setJob(id);
    },
  });
  const isBusy = useIsUnderWay(job);
  const isImporting = useIsUnderWay(imported);
  return (
    <section className={classes.part} aria-labelledby="lake">
      <header className={classes.head}>
        <h2 id="lake">{t('lake.title')}</h2>
        <span className={classes.spring} />
        <ImportTrace barred={barred} isBusy={isImporting} onBegun={setImported} />
        <GuardedButton
          barred={barred}
          leftSection={<IconDatabaseExport size={16} />}
          loading={begin.isPending || isBusy}
          onClick={() => {
            begin.mutate();
          }}
        >
          {t('lake.export')}
        </GuardedButton>
      </header>
      <Figures lake={lake} />
      {begin.error !== null && <ProblemPanel problem={asProblem(begin.error)} />}
      {job !== null && (
        <LakeJob
          key={job}
          job={job}
          onClose={() => {
            setJob(null);
          }}
        />
      )}
      {imported !== null && (
        <LakeJob
          key={imported}
          job={imported}
          onClose={() => {
            setImported(null);
          }}
        />
      )}
      {lake.instances.length > 0 && <Instances instances={lake.instances} />}
    </section>
  );
}

function useIsUnderWay(job: string | null): boolean {
  const { data } = useQuery({ ...jobQuery(job ?? ''), enabled: job !== null });
  return job !== null && data !== undefined && isJobUnderWay(data);
}

function Figures({ lake }: { lake: Lake }) {
  const { t } = useTranslation('analytics');
  const timeText = useAbsoluteTime();
  const now = useNow();
  const { first_at: first, last_at: last, exported_at: exported } = lake;
  const waiting = lake.instances.reduce((sum, instance) => sum + (instance.waiting ?? 0), 0);
  const lost = lake.instances.reduce((sum, instance) => sum + instance.lost, 0);
  return (
    <dl className={classes.figures}>
      <div>
        <dt>{t('lake.events')}</dt>
        <dd>{numberText(lake.events)}</dd>
      </div>
      <div>
        <dt>{t('lake.span')}</dt>
        <dd className={classes.words}>
          {first === null || last === null
            ? '–'
            : t('lake.fromTo', { first: timeText(Date.parse(first)), last: timeText(Date.parse(last)) })}
        </dd>
      </div>
      <div>
        <dt>{t('lake.size')}</dt>
        <dd>{t('lake.files', { bytes: bytesText(lake.bytes), count: lake.files })}</dd>
      </div>
      <div>
        <dt>{t('lake.exported')}</dt>
        <dd className={classes.words}>
          {exported === null ? (
            t('lake.never')
          ) : (
            <span title={timeText(Date.parse(exported))}>{relativeTime(Date.parse(exported), now)}</span>
          )}
        </dd>
      </div>
      <div data-warn={waiting > 0}>
        <dt>{t('lake.waiting')}</dt>
        <dd>{numberText(waiting)}</dd>
      </div>
      <div data-bad={lost > 0}>
        <dt>{t('lake.lost')}</dt>
        <dd>{numberText(lost)}</dd>
      </div>
    </dl>
  );
}

function Instances({ instances }: { instances: readonly InstanceInLake[] }) {
  const { t } = useTranslation('analytics');
  const timeText = useAbsoluteTime();
  return (
    <details className={classes.details} open={instances.some(({ problem }) => problem !== null)}>
      <summary>{t('lake.byInstance', { count: instances.length })}</summary>
      <div className={classes.tableFrame}>
        <table className={classes.table}>
          <caption>{t('lake.byInstance', { count: instances.length })}</caption>
          <thead>
            <tr>
              <th scope="col">{t('column.instance')}</th>
              <th scope="col" data-number>
                {t('lake.events')}
              </th>
              <th scope="col" data-number>
                {t('lake.waiting')}
              </th>
              <th scope="col" data-number>
                {t('lake.lost')}
              </th>
              <th scope="col" data-number>
                {t('lake.lastNumber')}
              </th>
              <th scope="col">{t('lake.exported')}</th>
            </tr>
          </thead>
          <tbody>
            {instances.map((instance) => (
              <tr key={instance.instance}>
                <th scope="row">{instance.instance}</th>
                <td data-number>{numberText(instance.events)}</td>
                <td data-number>{instance.waiting === null ? t('lake.unknown') : numberText(instance.waiting)}</td>
                <td data-number data-bad={instance.lost > 0}>
                  {numberText(instance.lost)}
                </td>
                <td data-number>{numberText(instance.last_number)}</td>
                <td>{instance.exported_at === null ? t('lake.never') : timeText(Date.parse(instance.exported_at))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={classes.quiet}>{t('lake.lostAbout')}</p>
      {instances.map(
        ({ instance, problem }) =>
          problem !== null && (
            <ProblemPanel
              key={instance}
              problem={readProblem(400, { title: t('lake.passedOver', { instance }), ...problem })}
            />
          ),
      )}
    </details>
  );
}
