import { Button, Select, Skeleton, Slider } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { EmptyState } from '@/components/ui/empty-state';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import { FlowName } from '@/components/what-if/flow-name';
import { ChangeSign, DispositionSign } from '@/components/what-if/light-sign';
import type { FlowFuture, FlowImpactRow } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter } from '@/hooks/use-view-state';
import { asProblem } from '@/lib/errors';
import { relativeTime, useAbsoluteTime } from '@/lib/time';
import { whatIfAddress } from '@/topology/what-if-address';

import { futureQuery } from '../api/future-read';
import { expirySentence, instantsOf, type Instant } from '../instants';
import type { FaultLab } from '../use-fault-lab';
import classes from './future.module.css';

const spans = [7, 30, 90, 365, 3650] as const;
const farthest = 3650;
const dayMilliseconds = 86_400_000;

/** What time alone does: when routes expire, which flows change then; an instant that is chosen holds for the whole lab. */
export function FuturePanel({ lab }: { lab: FaultLab }) {
  const { t } = useTranslation('faults');
  const { name: estate } = useEstatePage();
  const [opened] = useState(() => Date.now());
  const [given, span] = useParameter('days');
  const days = spans.find((known) => String(known) === given) ?? 30;
  const until = new Date(opened + days * dayMilliseconds).toISOString();
  const { data, error, refetch } = useQuery(futureQuery(estate, lab, until));
  return (
    <div className={classes.future}>
      <Select
        size="xs"
        w={200}
        allowDeselect={false}
        label={t('future.until')}
        data={spans.map((each) => ({ value: String(each), label: t('future.days', { count: each }) }))}
        value={String(days)}
        onChange={(value) => {
          span(value === '30' ? null : value);
        }}
      />
      {data === undefined ? (
        error === null ? (
          <Skeleton height={200} role="progressbar" aria-label={t('future.asking')} />
        ) : (
          <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
        )
      ) : data.events.length === 0 ? (
        <EmptyState
          action={
            days < farthest && (
              <Button
                size="xs"
                variant="default"
                onClick={() => {
                  span(String(farthest));
                }}
              >
                {t('future.farthest')}
              </Button>
            )
          }
        >
          {t('future.none', { count: days })}
        </EmptyState>
      ) : (
        <Course lab={lab} future={data} opened={opened} />
      )}
    </div>
  );
}

function Course({ lab, future, opened }: { lab: FaultLab; future: FlowFuture; opened: number }) {
  const { t } = useTranslation('faults');
  const timeText = useAbsoluteTime();
  const instants = instantsOf(future.events);
  const chosen = lab.at === null ? -1 : instants.findLastIndex(({ at }) => Date.parse(at) <= Date.parse(lab.at ?? ''));
  const choose = (index: number) => {
    lab.setAt(instants[index]?.at ?? null);
  };
  const words = (index: number) => {
    const instant = instants[index];
    return instant === undefined ? t('future.now') : timeText(Date.parse(instant.at));
  };
  return (
    <>
      <Strip instants={instants} chosen={chosen} words={words} />
      <Slider
        className={classes.slider ?? ''}
        min={-1}
        max={instants.length - 1}
        step={1}
        value={chosen}
        label={words}
        marks={[{ value: -1, label: t('future.now') }, ...instants.map((_, value) => ({ value }))]}
        thumbLabel={t('future.slider')}
        thumbValueText={words(chosen)}
        onChange={choose}
      />
      <ol className={classes.instants} aria-label={t('future.label')}>
        {instants.map((instant, index) => (
          <li key={instant.at} className={classes.instant} data-past={index <= chosen} aria-current={index === chosen}>
            <button
              type="button"
              className={classes.when}
              aria-pressed={index === chosen}
              onClick={() => {
                choose(index === chosen ? -1 : index);
              }}
            >
              <strong>{timeText(Date.parse(instant.at))}</strong>
              <span className={classes.quiet}>{relativeTime(Date.parse(instant.at), opened)}</span>
            </button>
            <Expiries lab={lab} instant={instant} />
          </li>
        ))}
      </ol>
      {future.not_looked_at > 0 && <p className={classes.quiet}>{t('future.more', { count: future.not_looked_at })}</p>}
    </>
  );
}

type StripProps = { instants: readonly Instant[]; chosen: number; words: (index: number) => string };

/** In a sentence what the instant brings that is chosen; while it is now, what comes next. */
function Strip({ instants, chosen, words }: StripProps) {
  const { t } = useTranslation('faults');
  const at = Math.max(chosen, 0);
  const events = instants[at]?.events ?? [];
  const isLoss = events.some(({ changes }) => changes.some(({ change }) => change === 'lost'));
  return (
    <p role="status" className={classes.strip} data-tone={isLoss ? 'lost' : 'delayed'}>
      <VerdictIcon verdict={isLoss ? 'lost' : 'delayed'} size={18} />
      <span>
        <strong>{chosen < 0 ? t('future.next', { at: words(at) }) : words(at)}</strong>{' '}
        {events.map(expirySentence).join(' ')}
      </span>
    </p>
  );
}

function Expiries({ lab, instant }: { lab: FaultLab; instant: Instant }) {
  return (
    <div className={classes.what}>
      {instant.events.map((event) => (
        <div key={`${event.route.instance} ${event.route.database} ${event.route.route}`}>
          <p className={classes.expiry}>{expirySentence(event)}</p>
          {event.changes.length > 0 && (
            <ul className={classes.changes}>
              {event.changes.map((row) => (
                <Change key={row.key} lab={lab} row={row} at={instant.at} />
              ))}
            </ul>
          )}
        </div>
      ))}
    </div>
  );
}

function Change({ lab, row, at }: { lab: FaultLab; row: FlowImpactRow; at: string }) {
  const { t } = useTranslation('faults');
  const { name: estate } = useEstatePage();
  const { service, to_service: to } = row.question;
  return (
    <li>
      <ChangeSign change={row.change} />
      <FlowName flow={row.question} />
      {row.after !== null && <DispositionSign disposition={row.after} number={row.after_number} />}
      <Link
        to={whatIfAddress(estate, row.question, { draft: lab.draft, at, faults: lab.faults })}
        aria-label={t('future.askNamed', { service, to })}
      >
        {t('future.ask')}
      </Link>
    </li>
  );
}
