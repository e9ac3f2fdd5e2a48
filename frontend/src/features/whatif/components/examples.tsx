import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { EmptyState } from '@/components/ui/empty-state';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { FlowName } from '@/components/what-if/flow-name';
import { DispositionSign, LightSign } from '@/components/what-if/light-sign';
import type { Estate } from '@/contracts/api';
import { asProblem } from '@/lib/errors';
import { whatIfAddress } from '@/topology/what-if-address';

import { examplesQuery } from '../api/examples-read';
import type { Asked } from '../use-question';
import classes from './what-if-panel.module.css';

/** As long as nothing is asked: questions of this estate, of each kind of end one. */
export function Examples({ estate, asked }: { estate: Estate; asked: Asked }) {
  const { t } = useTranslation('trace');
  const { draft, revision } = asked;
  const { data, error, refetch } = useQuery(
    examplesQuery(estate.name, { draft, revision }, `${estate.state} ${estate.change_set?.sequence ?? ''}`),
  );
  if (error !== null) {
    return <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />;
  }
  if (data?.length === 0) {
    return <EmptyState>{t('examples.none')}</EmptyState>;
  }
  return (
    <section className={classes.examples} aria-labelledby="what-if-examples" aria-busy={data === undefined}>
      <h2 id="what-if-examples">{t('examples.heading')}</h2>
      <p>{t('examples.about')}</p>
      {data === undefined && <Skeleton height={312} role="progressbar" aria-label={t('examples.looking')} />}
      <ul>
        {data?.map(({ question, disposition, light, number }) => (
          <li key={JSON.stringify(question)}>
            {/* A link: the browser's Back leads to the others again. */}
            <Link className={classes.example} to={whatIfAddress(estate.name, question, asked)}>
              <FlowName flow={question} characters={40} isLinked />
              <span className={classes.signs}>
                <DispositionSign disposition={disposition} number={number} />
                {light === 'amber' && <LightSign light={light} />}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
