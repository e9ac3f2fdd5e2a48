import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { Section } from '@/components/ui/section';
import type { DecisionTold, TransmissionExplained } from '@/contracts/api';
import { asProblem } from '@/lib/errors';
import { useLiveStore } from '@/lib/live-store';
import { useAbsoluteTime } from '@/lib/time';
import type { Verdict } from '@/theme/tokens';

import { explainTransmission } from '../api/transmission-explain';
import type { ConversationPath } from '../row-paths';
import classes from './actions.module.css';
import { Forecast } from './forecast';

/** Connections come and go without a word to the topology. */
const againMilliseconds = 5_000;

/**
 * Why messages of a conversation wait: the decision then, the decision now, and what a retry would do. "Now" is asked
 * for again whenever the topology has moved, also when an instance has taken a revision that it was behind.
 */
export function ExplainPanel({ estate, path }: { estate: string; path: ConversationPath }) {
  const { t } = useTranslation('operations');
  const topology = useLiveStore(({ live: { progress } }) => JSON.stringify([progress?.state, progress?.behind]));
  const told = useQuery({
    queryKey: ['explain', estate, path, topology],
    queryFn: () => explainTransmission(estate, path),
    refetchInterval: againMilliseconds,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return (
    <Section title={t('explain.heading')}>
      {told.error !== null && <ProblemPanel problem={asProblem(told.error)} onRetry={() => void told.refetch()} />}
      {told.data !== undefined && told.error === null && (
        <div className={classes.decisions}>
          {told.data.waiting > 0 && told.data.retry.end !== 'frozen' && (
            <Forecast estate={estate} path={path} topology={topology} />
          )}
          <Explanation told={told.data} />
        </div>
      )}
      {told.isPending && (
        <p className={classes.note} role="status">
          {t('explain.asking')}
        </p>
      )}
    </Section>
  );
}

function Explanation({ told }: { told: TransmissionExplained }) {
  const { t } = useTranslation('operations');
  const timeText = useAbsoluteTime();
  const { then, now, retry } = told;
  return (
    <div className={classes.decisions}>
      <section className={classes.decision} aria-label={t('explain.then')}>
        <header>
          <h4>{t('explain.then')}</h4>
          {then !== null && (
            <Badge verdict={verdicts[then.classification]}>{t(`explain.sent.${then.classification}`)}</Badge>
          )}
        </header>
        {then === null ? (
          <p>{t(told.waiting === 0 ? 'explain.left' : 'explain.notTried')}</p>
        ) : (
          <>
            {then.status !== null && told.text !== '' && <p>{told.text}</p>}
            <Way decision={then} />
            {told.waits_since !== null && (
              <p>
                {t(then.status === null && told.text !== '' ? 'explain.sinceBecause' : 'explain.since', {
                  time: timeText(Date.parse(told.waits_since)),
                  reason: told.text,
                })}
              </p>
            )}
            <Proof decision={then} />
          </>
        )}
      </section>
      <section className={classes.decision} aria-label={t('explain.now')} aria-live="polite">
        <header>
          <h4>{t('explain.now')}</h4>
          <Badge verdict={ends[retry.end]}>{t(`explain.end.${retry.end}`)}</Badge>
        </header>
        <p>
          {told.is_same && retry.end === 'waits'
            ? t('explain.same')
            : t(`explain.meaning.${retry.end}`, { address: retry.address ?? '', database: retry.database ?? '' })}
        </p>
        {retry.text !== '' && <p>{retry.text}</p>}
        <Way decision={now} />
        {retry.connects_at !== null && (
          <p>{t('explain.leftAlone', { time: timeText(Date.parse(retry.connects_at)) })}</p>
        )}
        {retry.retries_at !== null && <p>{t('explain.byItself', { time: timeText(Date.parse(retry.retries_at)) })}</p>}
        <Proof decision={now} />
      </section>
      <p className={classes.note}>{t('explain.asOf', { time: timeText(Date.parse(told.at)) })}</p>
    </div>
  );
}

/** By which route, and from where. */
function Way({ decision: { route, address, database, table } }: { decision: DecisionTold }) {
  const { t } = useTranslation('operations');
  const parameters = {
    table,
    address: address ?? '',
    database: database ?? '',
    to: address === null ? (database === null ? 'nowhere' : 'database') : 'address',
  };
  return <p>{route === null ? t('explain.noRoute', parameters) : t('explain.byRoute', { ...parameters, route })}</p>;
}

/** The engine's own sentences: what decides is in them, word for word. */
function Proof({ decision }: { decision: DecisionTold }) {
  const { t } = useTranslation('operations');
  return (
    <details>
      <summary>{t('explain.proof')}</summary>
      <ol>
        {decision.proof.map((line, place) => (
          <li key={place}>{line}</li>
        ))}
      </ol>
    </details>
  );
}

const verdicts: Record<DecisionTold['classification'], Verdict> = {
  local: 'delivered',
  remote: 'delivered',
  delayed: 'delayed',
  dropped: 'lost',
};

const ends: Record<TransmissionExplained['retry']['end'], Verdict> = {
  delivered: 'delivered',
  sent: 'forwarded',
  connects: 'delayed',
  waits: 'delayed',
  frozen: 'error',
  'nothing-waits': 'delivered',
};
