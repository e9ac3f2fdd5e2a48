import { CloseButton, Skeleton } from '@mantine/core';
import { IconRouteAltLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { EmptyState } from '@/components/ui/empty-state';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { FlowName } from '@/components/what-if/flow-name';
import { ChangeSign, DispositionSign } from '@/components/what-if/light-sign';
import type { Disposition, Run, RunSample, RunSampleVerdict } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { asProblem } from '@/lib/errors';
import { shortId } from '@/topology/words';
import { whatIfAddress } from '@/topology/what-if-address';

import { samplesQuery } from '../api/tables';
import { drillPlace, type Drill } from '../drill';
import classes from './samples.module.css';

type Props = { run: Run; drill: Drill; onClose: () => void };

/** Conversations of what was chosen in a chart: what became of each in both revisions, and the way to ask again. */
export function Samples({ run, drill, onClose }: Props) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const { data, error, refetch } = useQuery(samplesQuery(estate, run.id, drill));
  const place = drillPlace(drill);
  return (
    <div className={classes.panel}>
      <header className={classes.head}>
        <h2>{t('drill.title')}</h2>
        <CloseButton aria-label={t('drill.close')} onClick={onClose} />
      </header>
      <p className={classes.asked}>
        <ChangeSign change={drill.change} />
        {place !== '' && <span>{place}</span>}
      </p>
      {data !== undefined ? (
        data.length === 0 ? (
          <EmptyState>{t('drill.none')}</EmptyState>
        ) : (
          <ul className={classes.list}>
            {data.map((sample) => (
              <SampleItem
                key={`${sample.conversation_id} ${sample.direction}`}
                sample={sample}
                estate={estate}
                draft={draftOf(run)}
              />
            ))}
          </ul>
        )
      ) : error === null ? (
        <Skeleton height={240} role="progressbar" aria-label={t('drill.reading')} />
      ) : (
        <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
      )}
    </div>
  );
}

/** A draft stands in the place of the last revision. */
type Draft = { number: number; revision: number } | null;

function draftOf({ change_set: number, revisions }: Run): Draft {
  const revision = revisions.at(-1);
  return number === null || revision === undefined ? null : { number, revision };
}

type ItemProps = { sample: RunSample; estate: string; draft: Draft };

function SampleItem({ sample, estate, draft }: ItemProps) {
  const { t } = useTranslation('analytics');
  const { conversation_id: id, instance, database, service, to_service, broker_instance, direction } = sample;
  const flow = { instance, database, service, to_service, broker_instance };
  return (
    <li className={classes.sample}>
      <FlowName flow={flow} characters={26} />
      <p className={classes.quiet}>
        <span title={id}>{t('drill.conversation', { id: shortId(id) })}</span>
        {direction === 'target' && <span> · {t('drill.answer')}</span>}
      </p>
      <dl className={classes.verdicts}>
        {sample.verdicts.map((verdict) => (
          <div key={verdict.revision}>
            <dt>
              {draft?.revision === verdict.revision
                ? t('drill.draft', { number: draft.number })
                : t('drill.revision', { revision: verdict.revision })}
            </dt>
            <dd>
              <Verdict verdict={verdict} />
              {direction !== 'target' && (
                <Link
                  className={classes.link}
                  to={whatIfAddress(
                    estate,
                    flow,
                    draft?.revision === verdict.revision ? { draft: draft.number } : { revision: verdict.revision },
                  )}
                >
                  <IconRouteAltLeft size={14} aria-hidden />
                  {t('drill.whatIf')}
                </Link>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

function Verdict({ verdict }: { verdict: RunSampleVerdict }) {
  const { t } = useTranslation('analytics');
  const { disposition, number, end_instance: instance, end_database: database, path } = verdict;
  if (disposition === null) {
    return <span>{t('drill.nobody')}</span>;
  }
  const way = path.map((step) => step.instance);
  return (
    <>
      <DispositionSign disposition={disposition as Disposition} number={number} />
      {instance !== null && (
        <span className={classes.quiet}>{[instance, database].filter((name) => name !== null).join(' · ')}</span>
      )}
      {way.length > 1 && <span className={classes.way}>{way.join(' › ')}</span>}
    </>
  );
}
