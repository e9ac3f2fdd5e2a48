import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { EndpointSwitch } from '@/components/endpoint-switch';
import { Badge } from '@/components/ui/badge';
import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { dispositionWord, verdictOfDisposition } from '@/components/what-if/words';
import type { ConversationForecast, ToldWay } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useRevert } from '@/hooks/use-revert';
import { useMissingRight } from '@/hooks/use-rights';
import { useSandbox } from '@/hooks/use-sandbox';
import { asProblem, sentence } from '@/lib/errors';
import { whatIfAddress } from '@/topology/what-if-address';

import { forecastConversation } from '../api/conversation-forecast';
import type { ConversationPath } from '../row-paths';
import classes from './actions.module.css';

/** What becomes of the messages on all hops: the verdict of their what-if, what is wrong, and what mends it. */
export function Forecast({ estate, path, topology }: { estate: string; path: ConversationPath; topology: string }) {
  const { t } = useTranslation('operations');
  const query = useQuery({
    queryKey: ['forecast', estate, path, topology],
    queryFn: () => forecastConversation(estate, path),
  });
  if (query.error !== null) {
    return <ProblemPanel problem={asProblem(query.error)} onRetry={() => void query.refetch()} />;
  }
  if (query.data === undefined) {
    return null;
  }
  const { what_if: whatIf } = query.data;
  const way = whatIf === null ? undefined : wayOf(query.data);
  return (
    <section className={classes.decision} aria-label={t('forecast.label')}>
      <header>
        <h4>{t('forecast.label')}</h4>
        {way !== undefined && (
          <Badge verdict={verdictOfDisposition(way.disposition)}>
            {dispositionWord(way.disposition, way.number?.number ?? null)}
          </Badge>
        )}
      </header>
      {way === undefined ? <p>{t('forecast.unknown')}</p> : <End way={way} />}
      {whatIf?.answer.stays_unacknowledged === true && <p>{t('forecast.unacknowledged')}</p>}
      <Causes estate={estate} forecast={query.data} />
      {whatIf !== null && (
        <Button component={Link} variant="default" size="compact-xs" to={whatIfAddress(estate, whatIf.answer.question)}>
          {t('forecast.steps')}
        </Button>
      )}
    </section>
  );
}

/** The most likely way of the leg that is asked about; where nothing sets out on it, that of the first leg. */
function wayOf({ what_if: whatIf, leg }: ConversationForecast): ToldWay | undefined {
  const legs = whatIf?.answer.legs ?? [];
  return legs.find(({ kind, ways }) => kind === leg && ways.length > 0)?.ways[0] ?? legs[0]?.ways[0];
}

function End({ way: { instance, database, number } }: { way: ToldWay }) {
  const { t } = useTranslation('operations');
  return (
    <>
      <p>{t('forecast.where', { instance, database: database ?? '', named: database === null ? 'no' : 'yes' })}</p>
      {number !== null && (
        <p>
          {number.number} · {number.text}. {sentence(number.why)} {sentence(number.cure)}
        </p>
      )}
    </>
  );
}

/** Endpoints that are stopped, findings, and the revision since which it is so, each with what mends it. */
function Causes({ estate, forecast }: { estate: string; forecast: ConversationForecast }) {
  const { t } = useTranslation('operations');
  const { instances } = useEstatePage();
  const missing = useMissingRight('edit');
  const revert = useRevert(estate);
  const sandbox = useSandbox();
  const { stopped, findings, broken_by: broken } = forecast;
  const base = `/estates/${encodeURIComponent(estate)}`;
  return (
    <>
      {instances
        .filter(({ name }) => stopped.includes(name))
        .map((instance) => (
          <p key={instance.name}>
            {t('forecast.stopped', { instance: instance.name })}{' '}
            <EndpointSwitch estate={estate} instance={instance} size="compact-xs" />
          </p>
        ))}
      {findings.map(({ key, code, title }) => (
        <p key={key}>
          <Link
            to={`${base}/findings?${new URLSearchParams({ finding: key }).toString()}`}
          >{`${code} · ${title}`}</Link>
        </p>
      ))}
      {broken !== null && (
        <p>
          {t('forecast.broken', { number: broken.number, summary: broken.summary })}{' '}
          {sandbox === null && (
            <GuardedButton
              barred={missing}
              size="compact-xs"
              variant="default"
              loading={revert.isPending}
              onClick={() => {
                revert.mutate(broken.number);
              }}
            >
              {t('forecast.revert', { number: broken.number })}
            </GuardedButton>
          )}
        </p>
      )}
    </>
  );
}
