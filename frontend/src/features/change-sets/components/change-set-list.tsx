import { Button, SegmentedControl } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from 'react-router';

import { Badge } from '@/components/ui/badge';
import { DataTable, type Column } from '@/components/ui/data-table';
import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { ChangeSetListed, ChangeSetState } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { useParameter } from '@/hooks/use-view-state';
import { createChangeSet } from '@/lib/api/change-set-create';
import { asProblem } from '@/lib/errors';
import { tellProblem } from '@/lib/notices';
import { refreshEstate } from '@/lib/refresh';
import { absoluteTime } from '@/lib/time';

import { changeSetsQuery } from '../api/change-sets-list';
import classes from './change-sets.module.css';

const states: { value: ChangeSetState; label: string }[] = [
  { value: 'open', label: 'Open' },
  { value: 'applied', label: 'Applied' },
  { value: 'discarded', label: 'Discarded' },
];

const columns: readonly Column<ChangeSetListed>[] = [
  { id: 'number', title: 'Draft', width: 80, cell: ({ number }) => <span className={classes.mono}>#{number}</span> },
  { id: 'title', title: 'What for', cell: ({ title }) => (title === '' ? <span className={classes.place}>No title</span> : title) },
  { id: 'author', title: 'Author', width: 130, cell: ({ author }) => author ?? 'Nobody' },
  { id: 'done', title: 'Actions', width: 80, isNumber: true, cell: ({ decision_count: count }) => count.toLocaleString('en') },
  { id: 'base', title: 'Made from', width: 150, cell: baseCell },
  { id: 'changed', title: 'Last change (UTC)', width: 210, cell: ({ changed_at: at }) => absoluteTime(Date.parse(at)) },
];

function baseCell({ base_revision: base, is_behind: isBehind, applied_revision: applied }: ChangeSetListed) {
  if (applied !== null) {
    return <Badge verdict="delivered">revision {applied}</Badge>;
  }
  return isBehind ? <Badge verdict="delayed">revision {base}, behind</Badge> : `revision ${base}`;
}

/** The drafts of an estate, and those that were drafts. */
export function ChangeSetList({ estate }: { estate: string }) {
  const [asked, setAsked] = useParameter('state');
  const state = states.find(({ value }) => value === asked)?.value ?? 'open';
  const { data, error, refetch } = useQuery(changeSetsQuery(estate, state));
  const navigate = useNavigate();
  const open = (number: number) => void navigate(`/estates/${encodeURIComponent(estate)}/changes/${number}`);
  if (error !== null && data === undefined) {
    return <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />;
  }
  return (
    <>
      <div className={classes.bar}>
        <SegmentedControl size="xs" data={states} value={state} onChange={setAsked} aria-label="Which drafts" />
        <StartDraft estate={estate} />
      </div>
      <div className={classes.table}>
        <DataTable
          label="Drafts"
          columns={columns}
          rows={data?.items ?? []}
          keyOf={({ number }) => String(number)}
          rowHeight={36}
          onSelect={({ number }) => {
            open(number);
          }}
          empty={data === undefined ? null : <Nothing estate={estate} state={state} />}
        />
      </div>
    </>
  );
}

function Nothing({ estate, state }: { estate: string; state: ChangeSetState }) {
  if (state !== 'open') {
    return <p className={classes.why}>No draft was {state} yet.</p>;
  }
  return (
    <div className={classes.nothing}>
      <p>No draft is open. Every edit on the map begins one, and nothing runs with it before it is applied.</p>
      <Button component={Link} size="xs" variant="default" to={`/estates/${encodeURIComponent(estate)}/topology`}>
        Go to the map
      </Button>
    </div>
  );
}

function StartDraft({ estate }: { estate: string }) {
  const missing = useMissingRight('edit');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const start = useMutation({
    mutationFn: () => createChangeSet(estate),
    onSuccess: async ({ number }) => {
      await refreshEstate(queries, estate);
      void navigate(`/estates/${encodeURIComponent(estate)}/topology?draft=${number}`);
    },
    onError: tellProblem,
  });
  return (
    <GuardedButton barred={missing} size="xs" loading={start.isPending} onClick={() => { start.mutate(); }}>
      Start a draft
    </GuardedButton>
  );
}
