import { Button, SegmentedControl } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useEstatePage } from '@/hooks/use-estate-page';
import { useTopic } from '@/hooks/use-topics';
import { copyTable } from '@/lib/copy-table';
import { tellDone, tellProblem } from '@/lib/notices';
import { useAbsoluteTime } from '@/lib/time';
import { compact, happenings, stepsText, tracedText, type Step } from '@/live/grid/timeline';

import { textOf } from '../common';
import classes from './conversation.module.css';
import type { BothEnds } from './use-both-ends';

/** Broker:Conversation of SQL Trace. */
const conversationClass = 124;
const newest = 1000;

const ways = ['compact', 'single', 'raw'] as const;
type Way = (typeof ways)[number];

/** What the newest events of both instances tell of a conversation; earlier ones are not kept for this page. */
export function Timeline({ ends }: { ends: BothEnds }) {
  const { t } = useTranslation('views');
  const estate = useEstatePage();
  const [way, choose] = useState<Way>('compact');
  const sides = [ends.initiator, ends.target].flatMap((end) => (end === null ? [] : [end]));
  const places = [...new Set(sides.map(({ row }) => row.instance))].toSorted();
  const trace = useTopic(estate.name, 'trace', { classes: [conversationClass], rows: newest, instances: places });
  const handles = new Set(sides.map(({ row, read }) => textOf(row, read, 'conversation_handle')));
  const steps = trace === undefined || trace.seq === 0 ? null : happenings(trace.table, handles);
  if (steps === null || steps.length === 0) {
    return <p className={classes.note}>{steps === null ? t('source.waiting.word') : t('conversations.noEvents')}</p>;
  }
  const shown = way === 'compact' ? compact(steps) : steps;
  const copy = () => {
    copyTable(way === 'raw' ? tracedText(steps) : stepsText(shown)).then((isDone) => {
      tellDone(isDone ? t('conversations.copied', { count: shown.length }) : t('copy.failed'));
    }, tellProblem);
  };
  return (
    <>
      <div className={classes.ways}>
        <SegmentedControl
          size="xs"
          aria-label={t('conversations.way.label')}
          value={way}
          onChange={(value) => {
            choose(ways.find((one) => one === value) ?? 'compact');
          }}
          data={ways.map((value) => ({ value, label: t(`conversations.way.${value}`) }))}
        />
        <Button size="compact-xs" variant="default" leftSection={<IconCopy size={13} />} onClick={copy}>
          {t('conversations.copy')}
        </Button>
      </div>
      <ol className={classes.timeline}>
        {shown.map((step) => (
          <Line key={step.key} step={step} way={way} />
        ))}
      </ol>
      <p className={classes.note}>{t('conversations.asFarAsKnown')}</p>
    </>
  );
}

/** One event, or several of a kind; in milliseconds where each stands alone. */
function Line({ step, way }: { step: Step; way: Way }) {
  const { t } = useTranslation('views');
  const timeText = useAbsoluteTime();
  const digits = way === 'compact' ? 0 : 3;
  return (
    <li>
      <time title={timeText(step.from * 1000, 3)}>{timeText(step.to * 1000, digits)}</time>
      <span>
        <strong>{step.what}</strong>
        {step.count > 1 && ` × ${step.count}`}
        {step.numbers !== null &&
          ` ${t('conversations.numbers', { first: step.numbers.first, last: step.numbers.last, count: step.count })}`}
      </span>
      <span className={classes.place}>
        {step.instance} · {step.database}
      </span>
      {way === 'raw' && <pre className={classes.raw}>{JSON.stringify(step.told, null, 2)}</pre>}
    </li>
  );
}
