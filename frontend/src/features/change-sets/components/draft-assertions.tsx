import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import plain from '@/components/ui/plain-table.module.css';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { ChangeSet } from '@/contracts/api';
import { asProblem } from '@/lib/errors';

import { useDraftAssertions, type DraftAssertions, type Pair } from '../use-draft-assertions';
import classes from './flow-impact.module.css';

type Props = { estate: string; changeSet: ChangeSet };

/** What a draft does to what is asserted: newly failing, newly passing, still failing. */
export function DraftAssertionsPart({ estate, changeSet }: Props) {
  const { t } = useTranslation('assertions');
  const { data, error, refetch, isLoading } = useDraftAssertions(estate, changeSet);
  if (data === undefined) {
    return error !== null ? (
      <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
    ) : isLoading ? (
      <Skeleton height={160} role="progressbar" aria-label={t('draft.running')} />
    ) : (
      <p className={classes.summary}>{t('draft.none')}</p>
    );
  }
  const kinds = (['failing', 'passing', 'still'] as const).filter((kind) => data[kind].length > 0);
  return (
    <div className={classes.impact}>
      <p className={classes.summary} role="status">
        {t('draft.summary', { count: data.count })}
      </p>
      {kinds.length === 0 && data.count > 0 && <p className={classes.summary}>{t('draft.none')}</p>}
      {kinds.map((kind) => (
        <section key={kind}>
          <h2 className={classes.kind}>
            <VerdictIcon verdict={kind === 'passing' ? 'delivered' : 'lost'} size={15} />
            {t(`draft.${kind}`, { count: data[kind].length })}
          </h2>
          <Pairs estate={estate} label={t(`draft.${kind}`, { count: data[kind].length })} pairs={data[kind]} />
        </section>
      ))}
    </div>
  );
}

function Pairs({ estate, label, pairs }: { estate: string; label: string; pairs: readonly Pair[] }) {
  const { t } = useTranslation('assertions');
  return (
    <table className={plain.table}>
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">{t('head.name')}</th>
          <th scope="col">{t('details.expected')}</th>
          <th scope="col">{t('draft.live')}</th>
          <th scope="col">{t('draft.withDraft')}</th>
        </tr>
      </thead>
      <tbody>
        {pairs.map(({ live, draft }) => (
          <tr key={draft.assertion_id}>
            <th scope="row">
              <Link to={addressOf(estate, draft.assertion_id, draft.name)}>{draft.name}</Link>
            </th>
            <td>{draft.expected_text}</td>
            <td>{live.actual_text}</td>
            <td>{draft.passed ? draft.actual_text : draft.why || draft.actual_text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function addressOf(estate: string, id: number, name: string): string {
  const asked = new URLSearchParams({ assertion: String(id), search: name });
  return `/estates/${encodeURIComponent(estate)}/assertions?${asked.toString()}`;
}

/** The name of the tab, with how many newly fail as soon as that is known. */
export function AssertionsTab({ found }: { found: DraftAssertions | undefined }) {
  const { t } = useTranslation('assertions');
  return (
    <span className={classes.tab}>
      {found !== undefined && found.failing.length > 0 && <VerdictIcon verdict="lost" size={14} />}
      {found === undefined ? t('draft.tab') : t('draft.tabCounted', { failing: found.failing.length })}
    </span>
  );
}
