import { Button, Skeleton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';

import { Badge } from '@/components/ui/badge';
import { PageProblem } from '@/components/ui/page';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { TrainingCard, TrainingMode } from '@/contracts/api';
import { asProblem } from '@/lib/errors';

import { beginRun, catalogueQuery, trainingKeys } from '../api/training';
import classes from './training.module.css';

const modes = ['learn', 'practise', 'exam'] as const satisfies readonly TrainingMode[];

/** What there is to learn, and how far one has come. */
export function Catalogue() {
  const { t } = useTranslation('training');
  const { data, error, refetch } = useQuery(catalogueQuery());
  const queries = useQueryClient();
  const navigate = useNavigate();
  const begin = useMutation({
    mutationFn: ({ scenario, mode }: { scenario: string; mode: TrainingMode }) => beginRun(scenario, mode),
    onSuccess: (session) => {
      void queries.invalidateQueries({ queryKey: trainingKeys.catalogue() });
      void navigate(`/training/${session.run.id}`);
    },
  });
  if (data === undefined) {
    return error === null ? (
      <Skeleton height={320} role="progressbar" aria-label={t('reading')} />
    ) : (
      <PageProblem problem={asProblem(error)} onRetry={() => void refetch()} />
    );
  }
  return (
    <ul className={classes.cards}>
      {data.scenarios.map((card) => (
        <Card
          key={card.id}
          card={card}
          isBusy={begin.isPending}
          failed={begin.variables?.scenario === card.id ? begin.error : null}
          onBegin={(mode) => {
            begin.mutate({ scenario: card.id, mode });
          }}
        />
      ))}
    </ul>
  );
}

/** Whoever has never tried it is led first; afterwards it is practice that counts. */
function likelyMode({ runs }: TrainingCard): TrainingMode {
  return runs === 0 ? 'learn' : 'practise';
}

type CardProps = { card: TrainingCard; isBusy: boolean; failed: Error | null; onBegin: (mode: TrainingMode) => void };

function Card({ card, isBusy, failed, onBegin }: CardProps) {
  const { t } = useTranslation('training');
  const [isAsked, ask] = useState(false);
  return (
    <li className={classes.card}>
      <h2>{card.title}</h2>
      <p className={classes.brief}>{card.brief}</p>
      <p className={classes.faint}>
        {t('card.size', { minutes: card.minutes, tasks: card.tasks, instances: card.instances })}
      </p>
      <p className={classes.badges}>
        <Badge>{t(`level.${card.level}`)}</Badge>
        {card.skills.map((skill) => (
          <Badge key={skill}>{t(`skill.${skill}`)}</Badge>
        ))}
      </p>
      {card.after.length > 0 && (
        <p className={classes.faint}>{t('card.after', { titles: card.after.map(({ title }) => title).join(', ') })}</p>
      )}
      <p className={classes.progress}>
        {card.best_score === null ? (
          t('card.noScore', { count: card.runs })
        ) : (
          <Badge verdict={card.best_score === 100 ? 'delivered' : 'delayed'}>
            {t('card.best', { score: card.best_score })}
          </Badge>
        )}
      </p>
      <div className={classes.actions}>
        {card.running === null && isAsked && (
          <BeginExam
            card={card}
            isBusy={isBusy}
            onBegin={() => {
              ask(false);
              onBegin('exam');
            }}
            onLeave={() => {
              ask(false);
            }}
          />
        )}
        {card.running === null &&
          !isAsked &&
          modes.map((mode) => (
            <Button
              key={mode}
              size="xs"
              variant={mode === likelyMode(card) ? 'filled' : 'default'}
              disabled={isBusy}
              aria-label={t('card.beginNamed', { mode: t(`mode.${mode}`), title: card.title })}
              onClick={() => {
                if (mode === 'exam') {
                  ask(true);
                } else {
                  onBegin(mode);
                }
              }}
            >
              {t(`mode.${mode}`)}
            </Button>
          ))}
        {card.running !== null && (
          <Button
            size="xs"
            component={Link}
            to={`/training/${card.running.id}`}
            aria-label={t('card.goOnNamed', { title: card.title })}
          >
            {t('card.goOn', { mode: t(`mode.${card.running.mode}`) })}
          </Button>
        )}
      </div>
      {failed !== null && <ProblemPanel problem={asProblem(failed)} />}
    </li>
  );
}

type ExamProps = { card: TrainingCard; isBusy: boolean; onBegin: () => void; onLeave: () => void };

/** Asked before an examination begins: from then on its time runs, whatever one does. */
function BeginExam({ card, isBusy, onBegin, onLeave }: ExamProps) {
  const { t } = useTranslation('training');
  const about = t('sure.exam', { minutes: card.minutes });
  return (
    <div className={classes.actions} role="group" aria-label={about}>
      <p>{about}</p>
      <Button size="xs" disabled={isBusy} onClick={onBegin}>
        {t('sure.examYes')}
      </Button>
      <Button size="xs" variant="default" onClick={onLeave}>
        {t('sure.examNo')}
      </Button>
    </div>
  );
}
