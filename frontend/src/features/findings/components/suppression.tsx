import { Select, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { Fact, Facts, Section } from '@/components/ui/section';
import type { Finding } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useMissingRight } from '@/hooks/use-rights';
import { asProblem } from '@/lib/errors';
import { keys } from '@/lib/query-client';
import { absoluteTime } from '@/lib/time';

import { suppressFinding, unsuppressFinding } from '../api/suppression';
import classes from './findings-panel.module.css';

const day = 24 * 3600 * 1000;
const terms = [
  { value: '1', label: 'For a day' },
  { value: '7', label: 'For a week' },
  { value: '30', label: 'For 30 days' },
  { value: '90', label: 'For 90 days' },
  { value: 'always', label: 'Until it is taken back' },
];

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
  const missing = useMissingRight('edit');
  const [reason, setReason] = useState('');
  const [term, setTerm] = useState('30');
  const { mutate, isPending, error } = useSuppressing(suppressFinding);
  return (
    <Section title="Suppress">
      <form
        className={classes.form}
        aria-label="Suppress the finding"
        onSubmit={(event) => {
          event.preventDefault();
          const expires = term === 'always' ? null : new Date(Date.now() + Number(term) * day).toISOString();
          mutate({ key: finding.key, reason, expires_at: expires });
        }}
      >
        <Textarea
          size="xs"
          label="Why it may stay as it is"
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
            label="How long"
            allowDeselect={false}
            data={terms}
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
            barred={missing ?? (reason.trim() === '' ? 'A reason is needed: somebody else will ask for it.' : null)}
          >
            Suppress
          </GuardedButton>
        </div>
        {error !== null && <ProblemPanel problem={asProblem(error)} />}
      </form>
    </Section>
  );
}

function Suppressed({ suppression }: { suppression: NonNullable<Finding['suppression']> }) {
  const missing = useMissingRight('edit');
  const { mutate, isPending, error } = useSuppressing(unsuppressFinding);
  const { id, reason, author, created_at: since, expires_at: until } = suppression;
  return (
    <Section
      title="Suppressed"
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
          Take back
        </GuardedButton>
      }
    >
      <Facts>
        <Fact label="Reason">{reason}</Fact>
        <Fact label="By">{author ?? 'Somebody who is gone'}</Fact>
        <Fact label="On">{absoluteTime(Date.parse(since))}</Fact>
        <Fact label="Until">{until === null ? 'It is taken back' : absoluteTime(Date.parse(until))}</Fact>
      </Facts>
      {error !== null && <ProblemPanel problem={asProblem(error)} />}
    </Section>
  );
}
