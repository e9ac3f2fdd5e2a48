import { Button, Modal, Tabs, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';

import { SeveritySign } from '@/components/severity-sign';
import { Badge } from '@/components/ui/badge';
import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { ChangeSet } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { useTab } from '@/hooks/use-view-state';
import { newestDraft } from '@/lib/api/change-set-read';
import { discardChangeSet } from '@/lib/api/change-set-discard';
import { asProblem } from '@/lib/errors';
import { tellDone, tellProblem } from '@/lib/notices';
import { draftScope, keys } from '@/lib/query-client';
import { refreshEstate } from '@/lib/refresh';
import { useAbsoluteTime } from '@/lib/time';
import { authorText } from '@/topology/object-words';

import { applyChangeSet } from '../api/change-set-apply';
import { rebaseChangeSet } from '../api/change-set-rebase';
import { renameChangeSet } from '../api/change-set-rename';
import { decideConflict } from '../api/conflict-decide';
import { useDraftAssertions } from '../use-draft-assertions';
import { useFlowCounts, whyHeldBack } from '../use-flow-impact';
import { whyNotApplied } from '../why-not-applied';
import { ApplyButton } from './apply-button';
import classes from './change-sets.module.css';
import { CommandLog } from './command-log';
import { AssertionsTab, DraftAssertionsPart } from './draft-assertions';
import { DraftFindings, NewErrors, sum, useDraftFindingCounts } from './draft-findings';
import { FlowImpact, FlowsTab, LostFlows } from './flow-impact';
import { NoChanges, ObjectChanges } from './object-changes';
import { ObjectFilter, Pages } from './object-filter';
import { ScriptPanel } from './script-panel';

/**
 * A change set before it becomes live: what it does object by object, what stands in its way, and the buttons that end
 * it.
 */
export function Review({ estate, changeSet }: { estate: string; changeSet: ChangeSet }) {
  const missing = useMissingRight('edit');
  const navigate = useNavigate();
  const { t } = useTranslation('review');
  const timeText = useAbsoluteTime();
  const found = useDraftFindingCounts(estate, changeSet);
  const flows = useFlowCounts(estate, changeSet);
  const { data: asserted } = useDraftAssertions(estate, changeSet);
  const { number, objects, object_count: count, commands } = changeSet;
  const isOpen = changeSet.state === 'open';
  const [tab, setTab] = useTab([
    'objects',
    ...(isOpen ? ['flows', 'assertions'] : []),
    ...(changeSet.state === 'discarded' ? [] : ['findings']),
    ...['script', 'rollback', 'log'],
  ]);
  const show = (value: string | null) => {
    setTab(value, { fate: null, change: null, page: null });
  };
  const actions = useActions(estate, changeSet, show);
  const map = `/estates/${encodeURIComponent(estate)}/topology?draft=${number}`;
  return (
    <div className={classes.review}>
      <header className={classes.reviewHead}>
        <div className={classes.titles}>
          <h1 className={classes.title}>{t('heading', { number })}</h1>
          <Badge verdict={changeSet.state === 'applied' ? 'delivered' : undefined}>
            {changeSet.applied_revision === null
              ? t(`state.${changeSet.state}`)
              : t('appliedAs', { revision: changeSet.applied_revision })}
          </Badge>
          <span className={classes.place}>
            {t('since', { author: authorText(changeSet.author), at: timeText(Date.parse(changeSet.created_at)) })}
          </span>
        </div>
        {isOpen && (
          <div className={classes.buttons}>
            <Button component={Link} to={map} variant="default" size="sm">
              {t('empty.edit')}
            </Button>
            <GuardedButton
              barred={missing}
              variant="outline"
              color="red"
              size="sm"
              loading={actions.discard.isPending}
              onClick={count === 0 ? actions.discardNow : actions.askDiscard}
            >
              {t('discardIt')}
            </GuardedButton>
            <NewErrors
              count={found?.new.errors ?? 0}
              onShow={() => {
                show('findings');
              }}
            />
            <LostFlows
              count={flows.counts?.unticked ?? 0}
              onShow={() => {
                show('flows');
              }}
            />
            <ApplyButton
              estate={estate}
              changeSet={changeSet}
              barred={missing ?? whyNotApplied(changeSet) ?? whyHeldBack(flows)}
              isBusy={actions.apply.isPending}
              onApply={actions.apply.mutate}
              onShow={show}
            />
          </div>
        )}
      </header>
      <Title key={changeSet.title} estate={estate} changeSet={changeSet} isFixed={!isOpen || missing !== null} />
      {actions.apply.isError && <ProblemPanel problem={asProblem(actions.apply.error)} onRetry={actions.apply.reset} />}
      {changeSet.is_behind && (
        <div role="status" className={classes.notice}>
          <span>
            {t('moved', {
              base: changeSet.base_revision,
              revision: changeSet.revision,
              count: changeSet.conflict_count,
            })}
          </span>
          <GuardedButton
            barred={missing}
            size="xs"
            variant="default"
            loading={actions.rebase.isPending}
            onClick={actions.rebase.mutate}
          >
            {t('rebase', { revision: changeSet.revision })}
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
      <Tabs value={tab} onChange={show} keepMounted={false} className={classes.tabs ?? ''}>
        <Tabs.List>
          <Tabs.Tab value="objects">{t('tab.objects', { count })}</Tabs.Tab>
          {isOpen && (
            <Tabs.Tab value="flows">
              <FlowsTab counts={flows.counts} />
            </Tabs.Tab>
          )}
          {isOpen && (
            <Tabs.Tab value="assertions">
              <AssertionsTab found={asserted} />
            </Tabs.Tab>
          )}
          {changeSet.state !== 'discarded' && (
            <Tabs.Tab value="findings">
              <span className={classes.tabSign}>
                {found !== undefined && found.new.errors > 0 && (
                  <SeveritySign severity="error" size={14} hasWord={false} />
                )}
                {found === undefined
                  ? t('tab.findings')
                  : t('tab.findingsCounted', { added: sum(found.new), gone: sum(found.gone) })}
              </span>
            </Tabs.Tab>
          )}
          <Tabs.Tab value="script">{t('tab.script')}</Tabs.Tab>
          <Tabs.Tab value="rollback">{t('tab.rollback')}</Tabs.Tab>
          <Tabs.Tab value="log">{t('tab.log', { count: commands.length })}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="objects" pt="sm">
          {count > 0 && <ObjectFilter changeSet={changeSet} />}
          {count === 0 ? (
            <NoChanges isOpen={isOpen} wasUsed={commands.length > 0} onEdit={() => void navigate(map)} />
          ) : objects.length === 0 ? (
            <p className={classes.why}>{t('filter.none')}</p>
          ) : (
            <ObjectChanges
              objects={objects}
              barred={changeSet.state === 'open' ? missing : t(`closed.${changeSet.state}`, { number })}
              isBusy={actions.decide.isPending}
              onDecide={(object, decision) => {
                const { instance, database, kind, name } = object;
                actions.decide.mutate({ instance, database, kind, name, decision });
              }}
            />
          )}
          <Pages page={changeSet.page} pages={changeSet.pages} />
        </Tabs.Panel>
        {isOpen && (
          <Tabs.Panel value="flows" pt="sm">
            <FlowImpact estate={estate} changeSet={changeSet} />
          </Tabs.Panel>
        )}
        {isOpen && (
          <Tabs.Panel value="assertions" pt="sm">
            <DraftAssertionsPart estate={estate} changeSet={changeSet} />
          </Tabs.Panel>
        )}
        {changeSet.state !== 'discarded' && (
          <Tabs.Panel value="findings" pt="sm">
            <DraftFindings estate={estate} changeSet={changeSet} />
          </Tabs.Panel>
        )}
        {(['script', 'rollback'] as const).map((value) => (
          <Tabs.Panel key={value} value={value} pt="sm">
            {changeSet.state === 'discarded' ? (
              <p className={classes.why}>{t('noScript')}</p>
            ) : (
              <ScriptPanel estate={estate} changeSet={changeSet} isRollback={value === 'rollback'} />
            )}
          </Tabs.Panel>
        ))}
        <Tabs.Panel value="log" pt="sm">
          <CommandLog commands={commands} />
        </Tabs.Panel>
      </Tabs>
      <Modal opened={actions.isDiscarding} onClose={actions.cancelDiscard} title={t('discarding.title', { number })}>
        <p className={classes.why}>{t('discarding.text', { count })}</p>
        <div className={classes.buttons}>
          <Button variant="default" onClick={actions.cancelDiscard}>
            {t('discarding.keep')}
          </Button>
          <Button
            color="red"
            loading={actions.discard.isPending}
            onClick={() => {
              actions.discard.mutate();
            }}
          >
            {t('discardIt')}
          </Button>
        </div>
      </Modal>
    </div>
  );
}

/** What the server calls its refusal to apply while a lost flow is not ticked. */
const unticked = 'losses-unticked';

/** A title can be given and changed where it stands. */
function Title({ estate, changeSet, isFixed }: { estate: string; changeSet: ChangeSet; isFixed: boolean }) {
  const { t } = useTranslation('review');
  const queries = useQueryClient();
  const [text, setText] = useState(changeSet.title);
  const rename = useMutation({
    scope: draftScope(estate, changeSet.number),
    mutationFn: () => renameChangeSet(estate, changeSet.number, text.trim()),
    onError: tellProblem,
    onSettled: () => refreshEstate(queries, estate),
  });
  if (isFixed) {
    return changeSet.title === '' ? null : <p className={classes.fixedTitle}>{changeSet.title}</p>;
  }
  return (
    <TextInput
      aria-label={t('purpose.label')}
      placeholder={t('purpose.placeholder')}
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

function useActions(estate: string, changeSet: ChangeSet, show: (tab: string) => void) {
  const { t } = useTranslation('review');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isDiscarding, setDiscarding] = useState(false);
  const { number, sequence } = changeSet;
  const onSettled = () => refreshEstate(queries, estate);
  const scope = draftScope(estate, number);
  const apply = useMutation({
    scope,
    mutationFn: () => applyChangeSet(estate, newestDraft(queries, estate, changeSet)),
    onSuccess: ({ revision }) => {
      tellDone(t('applied', { number, revision }));
    },
    onError: (error) => {
      if (asProblem(error).name === unticked) {
        show('flows');
        void queries.invalidateQueries({ queryKey: keys.flows(estate) });
      }
    },
    onSettled,
  });
  const rebase = useMutation({
    scope,
    mutationFn: () => rebaseChangeSet(estate, number),
    onError: tellProblem,
    onSettled,
  });
  const decide = useMutation({
    scope,
    mutationFn: (decision: Parameters<typeof decideConflict>[2]) => decideConflict(estate, number, decision),
    onError: tellProblem,
    onSettled,
  });
  const discard = useMutation({
    scope,
    // Without a question only what is still empty.
    mutationFn: () => discardChangeSet(estate, number, changeSet.object_count === 0 ? { number, sequence } : null),
    onSuccess: () => {
      tellDone(t('closed.discarded', { number }));
      void navigate(`/estates/${encodeURIComponent(estate)}/changes`);
    },
    onError: tellProblem,
    onSettled,
  });
  return {
    apply: {
      ...apply,
      mutate: () => {
        apply.mutate();
      },
    },
    rebase: {
      ...rebase,
      mutate: () => {
        rebase.mutate();
      },
    },
    decide,
    discard,
    isDiscarding,
    discardNow: () => {
      discard.mutate();
    },
    askDiscard: () => {
      setDiscarding(true);
    },
    cancelDiscard: () => {
      setDiscarding(false);
    },
  };
}
