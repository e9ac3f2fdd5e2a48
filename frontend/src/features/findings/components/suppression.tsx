import { Select, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { Fact, Facts, Section } from '@/components/ui/section';
import type { Finding } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useMissingRight } from '@/hooks/use-rights';
import { asProblem } from '@/lib/errors';
import { keys } from '@/lib/query-client';
import { useAbsoluteTime } from '@/lib/time';

import { suppressFinding, unsuppressFinding } from '../api/suppression';
import classes from './findings-panel.module.css';

const day = 24 * 3600 * 1000;
const terms = ['1', '7', '30', '90', 'always'] as const;

/** Who has put the finding aside, why and until when; or the form that does. */
export function Suppression({ finding }: { finding: Finding }) {
  return finding.suppression === null ? (
    <SuppressForm finding={finding} />
  ) : (
    <Suppressed suppression={finding.suppression} />
  );
}

/** Runs something that changes what is suppressed, and reads the findings again. */
function useSuppressing<Given>(run: (estate: string, given: Given) => Promise<unknown>) {
  const { name: estate } = useEstatePage();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (given: Given) => run(estate, given),
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.findings(estate) }),
  });
}

function SuppressForm({ finding }: { finding: Finding }) {
  const { t } = useTranslation('findings');
  const missing = useMissingRight('edit');
  const [reason, setReason] = useState('');
  const [term, setTerm] = useState('30');
  const { mutate, isPending, error } = useSuppressing(suppressFinding);
  return (
    <Section title={t('suppress.heading')}>
      <form
        className={classes.form}
        aria-label={t('suppress.label')}
        onSubmit={(event) => {
          event.preventDefault();
          const expires = term === 'always' ? null : new Date(Date.now() + Number(term) * day).toISOString();
          mutate({ key: finding.key, reason, expires_at: expires });
        }}
      >
        <Textarea
          size="xs"
          label={t('suppress.reason')}
          maxLength={400}
          autosize
          minRows={2}
          value={reason}
          onChange={(event) => {
            setReason(event.currentTarget.value);
          }}
        />
        <div className={classes.term}>
          <Select
            size="xs"
            label={t('suppress.term')}
            allowDeselect={false}
            data={terms.map((value) => ({ value, label: t(`term.${value}`) }))}
            value={term}
            onChange={(value) => {
              setTerm(value ?? 'always');
            }}
          />
          <GuardedButton
            type="submit"
            size="xs"
            variant="default"
            loading={isPending}
            barred={missing ?? (reason.trim() === '' ? t('suppress.needsReason') : null)}
          >
            {t('suppress.heading')}
          </GuardedButton>
        </div>
        {error !== null && <ProblemPanel problem={asProblem(error)} />}
      </form>
    </Section>
  );
}

function Suppressed({ suppression }: { suppression: NonNullable<Finding['suppression']> }) {
  const { t } = useTranslation('findings');
  const timeText = useAbsoluteTime();
  const missing = useMissingRight('edit');
  const { mutate, isPending, error } = useSuppressing(unsuppressFinding);
  const { id, reason, author, created_at: since, expires_at: until } = suppression;
  return (
    <Section
      title={t('suppressed.heading')}
      aside={
        <GuardedButton
          size="compact-xs"
          variant="default"
          barred={missing}
          loading={isPending}
          onClick={() => {
            mutate(id);
          }}
        >
          {t('suppressed.takeBack')}
        </GuardedButton>
      }
    >
      <Facts>
        <Fact label={t('suppressed.reason')}>{reason}</Fact>
        <Fact label={t('suppressed.by')}>{author ?? t('suppressed.somebody')}</Fact>
        <Fact label={t('suppressed.on')}>{timeText(Date.parse(since))}</Fact>
        <Fact label={t('suppressed.until')}>
          {until === null ? t('suppressed.always') : timeText(Date.parse(until))}
        </Fact>
      </Facts>
      {error !== null && <ProblemPanel problem={asProblem(error)} />}
    </Section>
  );
}
