import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import { Page, PageProblem } from '@/components/ui/page';
import { WhatIfRooms } from '@/components/what-if/rooms';
import type { TableQuestion } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { asProblem } from '@/lib/errors';

import { questionsQuery } from '../api/questions-read';
import { requestOf, useTableAsked } from '../use-table';
import { AnswerPart } from './answer-part';
import { QuestionForm } from './question-form';
import { QuestionList } from './question-list';
import classes from './questions.module.css';
import { SimulationPart } from './simulation-part';

/** Questions whose answers are tables: which one, of which state, compared with which, and the answer. */
export function QuestionsRoom() {
  const { t } = useTranslation('tables');
  const { name: estate } = useEstatePage();
  const { data, error, refetch } = useQuery(questionsQuery(estate));
  return (
    <Page heading={t('heading')} about={t('about')} above={<WhatIfRooms />}>
      {data !== undefined ? (
        <Room questions={data} />
      ) : error !== null ? (
        <PageProblem problem={asProblem(error)} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={320} role="progressbar" aria-label={t('asking')} />
      )}
    </Page>
  );
}

function Room({ questions }: { questions: readonly TableQuestion[] }) {
  const { t } = useTranslation('tables');
  const table = useTableAsked();
  const question = questions.find(({ name }) => name === table.name);
  const request = question === undefined ? null : requestOf(question, table);
  return (
    <div className={classes.room}>
      <QuestionList questions={questions} chosen={question?.name ?? null} />
      <section className={classes.asking} aria-label={question === undefined ? t('answer') : t(titleKey(question))}>
        {question === undefined ? (
          <EmptyState>{table.name === null ? t('choose') : t('unknown', { name: table.name })}</EmptyState>
        ) : (
          <>
            <QuestionForm question={question} table={table} />
            {request === null ? (
              <EmptyState>{t('incomplete')}</EmptyState>
            ) : question.is_job ? (
              <SimulationPart question={question} table={table} request={request} />
            ) : (
              <AnswerPart question={question} table={table} request={request} />
            )}
          </>
        )}
      </section>
    </div>
  );
}

const titleKey = ({ name }: TableQuestion) => `question.${name as 'drift'}.title` as const;
