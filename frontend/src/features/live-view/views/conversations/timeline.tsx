import { useTranslation } from 'react-i18next';

import { useEstatePage } from '@/hooks/use-estate-page';
import { useTopic } from '@/hooks/use-topics';
import { useAbsoluteTime } from '@/lib/time';
import { timeline } from '@/live/grid/timeline';

import { textOf } from '../common';
import classes from './conversation.module.css';
import type { BothEnds } from './use-both-ends';

/** Broker:Conversation of SQL Trace. */
const conversationClass = 124;
const newest = 1000;

/** What the newest events of both instances tell of a conversation; earlier ones are not kept for this page. */
export function Timeline({ ends }: { ends: BothEnds }) {
  const { t } = useTranslation('views');
  const estate = useEstatePage();
  const timeText = useAbsoluteTime();
  const sides = [ends.initiator, ends.target].flatMap((end) => (end === null ? [] : [end]));
  const places = [...new Set(sides.map(({ row }) => row.instance))].toSorted();
  const trace = useTopic(estate.name, 'trace', { classes: [conversationClass], rows: newest, instances: places });
  const handles = new Set(sides.map(({ row, read }) => textOf(row, read, 'conversation_handle')));
  const steps = trace === undefined || trace.seq === 0 ? null : timeline(trace.table, handles);
  if (steps === null || steps.length === 0) {
    return <p className={classes.note}>{steps === null ? t('source.waiting.word') : t('conversations.noEvents')}</p>;
  }
  return (
    <>
      <ol className={classes.timeline}>
        {steps.map((step) => (
          <li key={step.key}>
            <time title={timeText(step.from * 1000)}>{timeText(step.to * 1000)}</time>
            <span>
              <strong>{step.what}</strong>
              {step.count > 1 && ` × ${step.count}`}
              {step.numbers !== null &&
                ` ${t('conversations.numbers', { first: step.numbers.first, last: step.numbers.last, count: step.count })}`}
            </span>
            <span className={classes.place}>
              {step.instance} · {step.database}
            </span>
          </li>
        ))}
      </ol>
      <p className={classes.note}>{t('conversations.asFarAsKnown')}</p>
    </>
  );
}
