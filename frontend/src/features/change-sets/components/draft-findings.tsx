import { SegmentedControl, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { FindingLines } from '@/components/finding-lines';
import { SeveritySign } from '@/components/severity-sign';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { ChangeSet, FindingCounts } from '@/contracts/api';
import { useParameter, useSetParameters } from '@/hooks/use-view-state';
import { asProblem } from '@/lib/errors';

import { draftFindingsQuery, fates } from '../api/draft-findings-read';
import classes from './change-sets.module.css';
import { Pages } from './object-filter';

export const sum = ({ errors, warnings, infos }: FindingCounts) => errors + warnings + infos;

function useFate() {
  const [fate] = useParameter('fate');
  const [page] = useParameter('page');
  return {
    fate: fates.find((known) => known === fate) ?? 'new',
    page: Math.max(1, Number.parseInt(page ?? '1', 10) || 1),
  };
}

/** The counts alone, for what stands beside the list; nothing as long as they are not known. */
export function useDraftFindingCounts(estate: string, changeSet: ChangeSet) {
  return useQuery({ ...draftFindingsQuery(estate, changeSet, 'new', 1), enabled: changeSet.state !== 'discarded' })
    .data;
}

/** What the draft does to the findings: which are new with it, which are gone, which stay. */
export function DraftFindings({ estate, changeSet }: { estate: string; changeSet: ChangeSet }) {
  const { t } = useTranslation('review');
  const set = useSetParameters();
  const { fate, page } = useFate();
  const { data, error, refetch } = useQuery(draftFindingsQuery(estate, changeSet, fate, page));
  if (data === undefined) {
    return error === null ? (
      <Skeleton height={200} />
    ) : (
      <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
    );
  }
  const findings = `/estates/${encodeURIComponent(estate)}/findings`;
  // What is gone stands in the live estate alone, and what an applied draft did may be gone since.
  const addressOf = ({ key, code }: { key: string; code: string }) =>
    `${findings}?${new URLSearchParams({ ...(fate === 'gone' ? {} : { draft: String(changeSet.number) }), code, finding: key }).toString()}`;
  return (
    <div className={classes.findings}>
      <SegmentedControl
        size="xs"
        aria-label={t('findings.which')}
        value={fate}
        data={fates.map((value) => ({ value, label: t(`findings.${value}`, { count: sum(data[value]) }) }))}
        onChange={(value) => {
          set({ fate: value === 'new' ? null : value, page: null });
        }}
      />
      <Counts counts={data[fate]} />
      {data.findings.length === 0 ? (
        <p className={classes.why}>{t(`findings.none.${fate}`)}</p>
      ) : (
        <FindingLines
          label={t(`findings.label.${fate}`)}
          findings={data.findings}
          {...(changeSet.state === 'open' ? { addressOf } : {})}
        />
      )}
      <Pages page={data.page} pages={data.pages} />
      {data.suppressed > 0 && <p className={classes.why}>{t('findings.suppressed', { count: data.suppressed })}</p>}
      {changeSet.state === 'open' && (
        <p className={classes.why}>
          <Link to={`${findings}?${new URLSearchParams({ draft: String(changeSet.number) }).toString()}`}>
            {t('findings.all')}
          </Link>
        </p>
      )}
    </div>
  );
}

function Counts({ counts: { errors, warnings, infos } }: { counts: FindingCounts }) {
  const { t } = useTranslation('review');
  return (
    <p className={classes.counts}>
      <SeveritySign severity="error" hasWord={false} /> {t('findings.errors', { count: errors })}
      <SeveritySign severity="warning" hasWord={false} /> {t('findings.warnings', { count: warnings })}
      <SeveritySign severity="info" hasWord={false} /> {t('findings.infos', { count: infos })}
    </p>
  );
}

/** Beside *Apply*: errors that the draft would bring. It may be applied all the same. */
export function NewErrors({ count, onShow }: { count: number; onShow: () => void }) {
  const { t } = useTranslation('review');
  if (count === 0) {
    return null;
  }
  return (
    <button type="button" className={classes.newErrors} onClick={onShow} title={t('newErrors.hint', { count })}>
      <SeveritySign severity="error" hasWord={false} />
      {t('newErrors.text', { count })}
    </button>
  );
}
