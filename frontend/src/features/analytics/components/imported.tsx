import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { asProblem } from '@/lib/errors';

import { importResultQuery } from '../api/lake';
import type { ImportReason } from '../api/types';

/** How many rows of a trace were taken, and why others were not. */
export function Imported({ job }: { job: string }) {
  const { t } = useTranslation('analytics');
  const { data, error, refetch } = useQuery(importResultQuery(job));
  if (data === undefined) {
    return error === null ? (
      <p role="status">{t('import.isDone')}</p>
    ) : (
      <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
    );
  }
  return (
    <div role="status">
      <p>{t('import.done', { written: data.written, known: data.known, rejected: data.rejected })}</p>
      {data.reasons.length > 0 && (
        <ul>
          {data.reasons.map((reason) => (
            <Reason key={`${reason.reason} ${reason.column}`} {...reason} />
          ))}
          {data.other_reasons > 0 && <li>{t('import.others', { count: data.other_reasons })}</li>}
        </ul>
      )}
    </div>
  );
}

function Reason({ reason, column, rows }: ImportReason) {
  const { t } = useTranslation('analytics');
  const why = t(`import.why.${reason as 'no-csv'}`, { column, defaultValue: reason });
  return <li>{t('import.reason', { why, rows })}</li>;
}
