import { Button, Modal, Tabs, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';

import { Badge } from '@/components/ui/badge';
import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { ChangeSet } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { useParameter } from '@/hooks/use-view-state';
import { discardChangeSet } from '@/lib/api/change-set-discard';
import { asProblem } from '@/lib/errors';
import { tellDone, tellProblem } from '@/lib/notices';
import { refreshEstate } from '@/lib/refresh';
import { absoluteTime } from '@/lib/time';
import { counted } from '@/topology/words';

import { applyChangeSet } from '../api/change-set-apply';
import { rebaseChangeSet } from '../api/change-set-rebase';
import { renameChangeSet } from '../api/change-set-rename';
import { decideConflict } from '../api/conflict-decide';
import { whyNotApplied } from '../why-not-applied';
import classes from './change-sets.module.css';
import { CommandLog } from './command-log';
import { NoChanges, ObjectChanges } from './object-changes';
import { ScriptPanel } from './script-panel';

const stateWords = { open: 'Open', applied: 'Applied', discarded: 'Discarded' } as const;

/** A change set before it becomes live: what it does object by object, what stands in its way, and the buttons that end it. */
export function Review({ estate, changeSet }: { estate: string; changeSet: ChangeSet }) {
  const [tab, setTab] = useParameter('tab');
  const missing = useMissingRight('edit');
  const navigate = useNavigate();
  const actions = useActions(estate, changeSet);
  const { number, objects, commands } = changeSet;
  const isOpen = changeSet.state === 'open';
  const map = `/estates/${encodeURIComponent(estate)}/topology?draft=${number}`;
  return (
    <div className={classes.review}>
      <header className={classes.reviewHead}>
        <div className={classes.titles}>
          <h1 className={classes.title}>Draft #{number}</h1>
          <Badge verdict={changeSet.state === 'applied' ? 'delivered' : undefined}>
            {stateWords[changeSet.state]}
            {changeSet.applied_revision !== null && ` as revision ${changeSet.applied_revision}`}
          </Badge>
          <span className={classes.place}>
            {changeSet.author ?? 'Nobody'}, {absoluteTime(Date.parse(changeSet.created_at))}
          </span>
        </div>
        {isOpen && (
          <div className={classes.buttons}>
            <Button component={Link} to={map} variant="default" size="sm">
              Edit on the map
            </Button>
            <GuardedButton barred={missing} variant="outline" color="red" size="sm" onClick={actions.askDiscard}>
              Discard
            </GuardedButton>
            <GuardedButton barred={missing ?? whyNotApplied(changeSet)} size="sm" loading={actions.apply.isPending} onClick={actions.apply.mutate}>
              Apply {counted(objects.length, 'change')}
            </GuardedButton>
          </div>
        )}
      </header>
      <Title key={changeSet.title} estate={estate} changeSet={changeSet} isFixed={!isOpen || missing !== null} />
      {actions.apply.isError && <ProblemPanel problem={asProblem(actions.apply.error)} onRetry={actions.apply.reset} />}
      {changeSet.is_behind && (
        <div role="status" className={classes.notice}>
          <span>
            The estate has moved on from revision {changeSet.base_revision} to {changeSet.revision} since. What only others changed is kept;
            {changeSet.conflict_count === 0 ? ' nothing is in conflict.' : ` ${counted(changeSet.conflict_count, 'conflict')} to decide.`}
          </span>
          <GuardedButton barred={missing} size="xs" variant="default" loading={actions.rebase.isPending} onClick={actions.rebase.mutate}>
            Bring up to revision {changeSet.revision}
          </GuardedButton>
        </div>
      )}
      {changeSet.problems.map((problem) => (
        <div key={problem.instance} role="alert" className={classes.problem}>
          <strong>
            {problem.code} · {problem.instance}: {problem.detail}
          </strong>
          <span>{[problem.why, problem.cure].filter((line) => line !== '').join(' ')}</span>
        </div>
      ))}
      <Tabs value={tab ?? 'objects'} onChange={setTab} keepMounted={false} className={classes.tabs ?? ''}>
        <Tabs.List>
          <Tabs.Tab value="objects">Objects ({objects.length})</Tabs.Tab>
          <Tabs.Tab value="script">Script</Tabs.Tab>
          <Tabs.Tab value="rollback">Rollback</Tabs.Tab>
          <Tabs.Tab value="log">What was done ({commands.length})</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="objects" pt="sm">
          {objects.length === 0 ? (
            <NoChanges onEdit={() => void navigate(map)} />
          ) : (
            <ObjectChanges
              objects={objects}
              barred={isOpen ? missing : `Draft #${number} is ${changeSet.state}.`}
              isBusy={actions.decide.isPending}
              onDecide={(object, decision) => {
                const { instance, database, kind, name } = object;
                actions.decide.mutate({ instance, database, kind, name, decision });
              }}
            />
          )}
        </Tabs.Panel>
        {(['script', 'rollback'] as const).map((value) => (
          <Tabs.Panel key={value} value={value} pt="sm">
            {changeSet.state === 'discarded' ? (
              <p className={classes.why}>A discarded draft does nothing, and has no script.</p>
            ) : (
              <ScriptPanel estate={estate} changeSet={changeSet} isRollback={value === 'rollback'} />
            )}
          </Tabs.Panel>
        ))}
        <Tabs.Panel value="log" pt="sm">
          <CommandLog commands={commands} />
        </Tabs.Panel>
      </Tabs>
      <Modal opened={actions.isDiscarding} onClose={actions.cancelDiscard} title={`Discard draft #${number}?`}>
        <p className={classes.why}>
          {counted(objects.length, 'change')} will not be made. What was done stays in the audit, and nothing that runs is touched.
        </p>
        <div className={classes.buttons}>
          <Button variant="default" onClick={actions.cancelDiscard}>
            Keep it
          </Button>
          <Button color="red" loading={actions.discard.isPending} onClick={() => { actions.discard.mutate(); }}>
            Discard
          </Button>
        </div>
      </Modal>
    </div>
  );
}

/** A title can be given and changed where it stands. */
function Title({ estate, changeSet, isFixed }: { estate: string; changeSet: ChangeSet; isFixed: boolean }) {
  const queries = useQueryClient();
  const [text, setText] = useState(changeSet.title);
  const rename = useMutation({
    mutationFn: () => renameChangeSet(estate, changeSet.number, text.trim()),
    onError: tellProblem,
    onSettled: () => refreshEstate(queries, estate),
  });
  if (isFixed) {
    return changeSet.title === '' ? null : <p className={classes.fixedTitle}>{changeSet.title}</p>;
  }
  return (
    <TextInput
      aria-label="What it is for"
      placeholder="What is this draft for?"
      value={text}
      maxLength={200}
      onChange={(event) => {
        setText(event.currentTarget.value);
      }}
      onBlur={() => {
        if (text.trim() !== changeSet.title) {
          rename.mutate();
        }
      }}
    />
  );
}

function useActions(estate: string, changeSet: ChangeSet) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isDiscarding, setDiscarding] = useState(false);
  const { number, sequence } = changeSet;
  const onSettled = () => refreshEstate(queries, estate);
  const apply = useMutation({
    mutationFn: () => applyChangeSet(estate, { number, sequence }),
    onSuccess: ({ revision }) => {
      tellDone(`Draft #${number} is live as revision ${revision}.`);
    },
    onSettled,
  });
  const rebase = useMutation({ mutationFn: () => rebaseChangeSet(estate, number), onError: tellProblem, onSettled });
  const decide = useMutation({
    mutationFn: (decision: Parameters<typeof decideConflict>[2]) => decideConflict(estate, number, decision),
    onError: tellProblem,
    onSettled,
  });
  const discard = useMutation({
    mutationFn: () => discardChangeSet(estate, number),
    onSuccess: () => {
      tellDone(`Draft #${number} is discarded.`);
      void navigate(`/estates/${encodeURIComponent(estate)}/changes`);
    },
    onError: tellProblem,
    onSettled,
  });
  return {
    apply: { ...apply, mutate: () => { apply.mutate(); } },
    rebase: { ...rebase, mutate: () => { rebase.mutate(); } },
    decide,
    discard,
    isDiscarding,
    askDiscard: () => { setDiscarding(true); },
    cancelDiscard: () => { setDiscarding(false); },
  };
}
