import { IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { ConfirmedButton } from '@/components/confirm/confirmed-button';
import type { GroupRetry, TransmissionRetryResult } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useMissingRight } from '@/hooks/use-rights';
import { useParameter } from '@/hooks/use-view-state';
import type { Reason } from '@/live/grid/transmission-groups';

import { retryGroup, retryTransmissions } from '../api/transmissions-retry';
import { named, type ConversationPath } from '../row-paths';
import { Results } from './results';

/** Number of the status of what has come for a queue that is off: it waits for its queue, and no retry moves it. */
export const queueOff = 9617;

/** Sends what a conversation has to send now, instead of at the next deadline. */
export function RetryButton({ path, number }: { path: ConversationPath; number: number | null }) {
  const { t } = useTranslation('operations');
  const estate = useEstatePage();
  const missing = useMissingRight('operate');
  return (
    <ConfirmedButton
      barred={missing ?? (number === queueOff ? t('retry.queueOff') : null)}
      label={t('retry.open')}
      title={t('retry.title')}
      verb={t('retry.verb')}
      consequences={[t('retry.decides'), t('retry.again'), t('retry.harmless')]}
      run={() => retryTransmissions(estate.name, [named(path)])}
      onDone={() => undefined}
      after={({ results }) => <Retried results={results} />}
    />
  );
}

/** The same for everything that waits for one reason, as far as the view is narrowed. */
export function RetryGroupButton({ reason }: { reason: Reason }) {
  const { t } = useTranslation('operations');
  const estate = useEstatePage();
  const missing = useMissingRight('operate');
  const [instance] = useParameter('instance');
  const [database] = useParameter('database');
  const { number, conversations: count } = reason;
  const group: GroupRetry = { number, instance, database: instance === null ? null : database };
  return (
    <ConfirmedButton
      barred={missing ?? (number === queueOff ? t('retry.queueOff') : null)}
      label={<IconRefresh size={15} />}
      name={number === null ? t('retry.openBlank') : t('retry.openNamed', { number })}
      title={t('retry.groupTitle', { count })}
      verb={t('retry.verb')}
      consequences={[t('retry.decides'), t('retry.again'), t('retry.most', { most: 200 })]}
      run={() => retryGroup(estate.name, group)}
      onDone={() => undefined}
      after={({ results, left, silent }) => (
        <>
          <Retried results={results} />
          {left > 0 && <p>{t('retry.left', { count: left })}</p>}
          {silent.length > 0 && <p>{t('retry.silent', { names: silent.join(', ') })}</p>}
        </>
      )}
    />
  );
}

const isOn = ({ problem, number }: TransmissionRetryResult) => problem === null && number === null;

function Retried({ results }: { results: readonly TransmissionRetryResult[] }) {
  const { t } = useTranslation('operations');
  const done = results.filter(isOn).length;
  return (
    <>
      <p role="status">
        {results.length === 0 ? t('retry.nothing') : t('retry.outcome', { done, waits: results.length - done })}
      </p>
      <Results
        label={t('results')}
        results={results}
        verdict={(result) => (isOn(result) ? 'delivered' : 'delayed')}
        words={({ number, text, waiting }) =>
          number === null ? t('retry.onItsWay', { count: waiting ?? 0 }) : t('retry.stillWaits', { number, text })
        }
      />
    </>
  );
}
