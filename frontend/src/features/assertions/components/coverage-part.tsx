import { Progress, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { PinAssertion } from '@/components/assertions/pin-assertion';
import { PageBody, PageProblem } from '@/components/ui/page';
import { FlowName } from '@/components/what-if/flow-name';
import { coverageQuery } from '@/lib/api/assertions';
import { asProblem } from '@/lib/errors';
import { formatSelection } from '@/topology/selection';

import classes from './assertions.module.css';
import { FromFlows } from './no-assertions';

/** Which routes the assertions exercise, which never decide anything, and which flows nobody asserts. */
export function CoveragePart({ estate }: { estate: string }) {
  const { t } = useTranslation('assertions');
  const { data, error, refetch } = useQuery(coverageQuery(estate));
  if (data === undefined) {
    return error === null ? (
      <Skeleton height={240} role="progressbar" aria-label={t('tab.coverage')} />
    ) : (
      <PageProblem problem={asProblem(error)} onRetry={() => void refetch()} />
    );
  }
  return (
    <PageBody>
      <div className={classes.stack}>
        <p className={classes.percent}>
          <strong>{t('coverage.percent', { percent: Math.floor(data.percent) })}</strong>{' '}
          {t('coverage.routes', { exercised: data.exercised, counted: data.counted })}
        </p>
        <Progress value={data.percent} aria-label={t('tab.coverage')} maw={480} />
        <Part heading={t('coverage.never', { count: data.never_exercised_total })} total={data.never_exercised_total}>
          {data.never_exercised.map((place) => (
            <li key={JSON.stringify(place)}>
              <RoutePlace estate={estate} place={place} />
            </li>
          ))}
        </Part>
        <Part heading={t('coverage.neverWin', { count: data.never_win_total })} total={data.never_win_total}>
          {data.never_win.map(({ why, ...place }) => (
            <li key={JSON.stringify(place)}>
              <RoutePlace estate={estate} place={place} /> <span className={classes.quiet}>{why}</span>
            </li>
          ))}
        </Part>
        <Part
          heading={t('coverage.without', { count: data.flows_without_total, flows: data.flows })}
          total={data.flows_without_total}
          beside={<FromFlows estate={estate} />}
        >
          {data.flows_without.map((flow) => (
            <li key={JSON.stringify(flow)} className={classes.flow}>
              <FlowName flow={flow} />
              <PinAssertion estate={estate} pinned={{ question: flow }} size="compact-xs" />
            </li>
          ))}
        </Part>
      </div>
    </PageBody>
  );
}

/** `total`: how many there are, of which `children` are the first. */
type PartProps = { heading: string; total: number; beside?: ReactNode; children: readonly ReactNode[] };

function Part({ heading, total, beside, children }: PartProps) {
  const { t } = useTranslation('assertions');
  return (
    <section className={classes.part}>
      <h2>{heading}</h2>
      {children.length > 0 && (
        <>
          {beside}
          <ul>{children}</ul>
          {total > children.length && (
            <p className={classes.quiet}>{t('coverage.more', { count: total - children.length })}</p>
          )}
        </>
      )}
    </section>
  );
}

type Place = { instance: string; database: string; route: string };

function RoutePlace({ estate, place }: { estate: string; place: Place }) {
  const { instance, database, route } = place;
  const select = formatSelection({ kind: 'route', instance, database, route });
  return (
    <Link to={`/estates/${encodeURIComponent(estate)}/topology?${new URLSearchParams({ select }).toString()}`}>
      {instance} · {database} · {route}
    </Link>
  );
}
