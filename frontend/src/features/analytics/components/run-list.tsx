import { ActionIcon, Button, Checkbox, Tooltip } from '@mantine/core';
import { IconPlayerStop, IconRefresh, IconTrash, type Icon } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';

import { EmptyState } from '@/components/ui/empty-state';
import type { Run } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useMissingRight } from '@/hooks/use-rights';
import { ageText } from '@/live/age';
import { useAbsoluteTime } from '@/lib/time';

import { compareAddress, runAddress } from '../addresses';
import { comparedText, isUnderWay, isWorthAnother, rangeText, roundCount, rowsIn, secondsOf } from '../runs';
import classes from './analytics.module.css';
import { DeleteRun } from './delete-run';
import { RunProgress, StateBadge } from './state-badge';
import { useBarredFrom, useRunActions } from './use-run-actions';

/** Runs of the estate, newest first: how each stands, and what can be done with it. */
export function RunList({ runs }: { runs: readonly Run[] }) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const navigate = useNavigate();
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const [doomed, setDoomed] = useState<Run | null>(null);
  const actions = useRunActions(() => {
    setDoomed(null);
  });
  const chosen = runs.filter(({ id }) => ticked.includes(id));
  const [one, other] = chosen;
  return (
    <section className={classes.part} aria-labelledby="runs">
      <header className={classes.head}>
        <h2 id="runs">{t('runs.title')}</h2>
        <span className={classes.spring} />
        {one !== undefined && (
          <Button
            variant="default"
            disabled={other === undefined}
            onClick={() => {
              if (other !== undefined) {
                void navigate(compareAddress(estate, [other.id, one.id]));
              }
            }}
          >
            {other === undefined ? t('runs.tickAnother', { job: t(`job.${one.job}.title`) }) : t('runs.compare')}
          </Button>
        )}
      </header>
      {runs.length === 0 ? (
        <EmptyState>{t('runs.none')}</EmptyState>
      ) : (
        <div className={classes.tableFrame}>
          <table className={classes.table}>
            <caption>{t('runs.title')}</caption>
            <thead>
              <tr>
                <td />
                <th scope="col">{t('runs.job')}</th>
                <th scope="col">{t('runs.about')}</th>
                <th scope="col">{t('runs.state')}</th>
                <th scope="col">{t('runs.started')}</th>
                <th scope="col" data-number>
                  {t('runs.took')}
                </th>
                <td />
              </tr>
            </thead>
            <tbody>
              {runs.map((run) => (
                <Line
                  key={run.id}
                  run={run}
                  isTicked={ticked.includes(run.id)}
                  isComparable={run.state === 'done' && (one === undefined || one.job === run.job)}
                  onTick={() => {
                    setTicked(nextTicked(ticked, run.id));
                  }}
                  actions={actions}
                  onDelete={() => {
                    setDoomed(run);
                  }}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {doomed !== null && (
        <DeleteRun
          run={doomed}
          isBusy={actions.remove.isPending}
          onConfirm={() => {
            actions.remove.mutate(doomed.id);
          }}
          onClose={() => {
            setDoomed(null);
          }}
        />
      )}
    </section>
  );
}

/** Two at most: a third takes the place of the first. */
export function nextTicked(ticked: readonly string[], run: string): readonly string[] {
  return ticked.includes(run) ? ticked.filter((each) => each !== run) : [...ticked, run].slice(-2);
}

type LineProps = {
  run: Run;
  isTicked: boolean;
  isComparable: boolean;
  onTick: () => void;
  actions: ReturnType<typeof useRunActions>;
  onDelete: () => void;
};

function Line({ run, isTicked, isComparable, onTick, actions, onDelete }: LineProps) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const timeText = useAbsoluteTime();
  const started = timeText(Date.parse(run.started_at ?? run.created_at));
  const seconds = secondsOf(run);
  const named = { job: t(`job.${run.job}.title`), time: started };
  const missing = useMissingRight('operate');
  const barred = useBarredFrom(run);
  return (
    <tr data-run={run.id}>
      <td>
        <Checkbox
          size="xs"
          aria-label={t('runs.tick', named)}
          checked={isTicked}
          disabled={!isComparable && !isTicked}
          onChange={onTick}
        />
      </td>
      <th scope="row">
        <Link className={classes.link} to={runAddress(estate, run.id)}>
          {t(`job.${run.job}.title`)}
        </Link>
      </th>
      <td>
        <About run={run} />
      </td>
      <td>{isUnderWay(run) && run.state !== 'cancelling' ? <RunProgress run={run} /> : <StateBadge run={run} />}</td>
      <td>
        {started}
        {run.owner !== null && <span className={classes.second}>{t('runs.by', { name: run.owner })}</span>}
      </td>
      <td data-number>{seconds === null ? '–' : ageText(Math.max(1, Math.round(seconds)))}</td>
      <td>
        <span className={classes.actions}>
          {isUnderWay(run) ? (
            <Act
              sign={IconPlayerStop}
              label={t('runs.cancel', named)}
              barred={barred}
              isOver={run.state === 'cancelling'}
              onClick={() => {
                actions.cancel.mutate(run.id);
              }}
            />
          ) : (
            <>
              {isWorthAnother(run) && (
                <Act
                  sign={IconRefresh}
                  label={t('runs.again', named)}
                  barred={missing}
                  onClick={() => {
                    actions.again.mutate(run.id);
                  }}
                />
              )}
              <Act sign={IconTrash} label={t('runs.delete', named)} barred={barred} onClick={onDelete} />
            </>
          )}
        </span>
      </td>
    </tr>
  );
}

/** Of which events, and which revisions it compares. */
function About({ run }: { run: Run }) {
  const { t } = useTranslation('analytics');
  const read = rowsIn(run);
  return (
    <>
      {run.job === 'whatif' && run.revisions.length > 0 ? comparedText(run) : rangeText(run)}
      {read !== null && (
        <span className={classes.second}>
          {t(read.name === 'events' ? 'runs.events' : 'runs.rows', { count: roundCount(read.rows) })}
        </span>
      )}
    </>
  );
}

type ActProps = { sign: Icon; label: string; barred: string | null; isOver?: boolean; onClick: () => void };

function Act({ sign: Sign, label, barred, isOver = false, onClick }: ActProps) {
  return (
    <Tooltip label={barred ?? label}>
      <ActionIcon
        size={28}
        aria-label={label}
        {...(barred === null ? {} : { 'aria-description': barred })}
        disabled={isOver || barred !== null}
        onClick={onClick}
      >
        <Sign size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
