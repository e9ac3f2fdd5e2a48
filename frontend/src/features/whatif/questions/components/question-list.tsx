import { useTranslation } from 'react-i18next';

import type { TableQuestion } from '@/contracts/api';

import { useAsk } from '../../use-question';
import classes from './questions.module.css';

type Props = { questions: readonly TableQuestion[]; chosen: string | null };

/** The questions, each with what it is good for. */
export function QuestionList({ questions, chosen }: Props) {
  const { t } = useTranslation('tables');
  const ask = useAsk();
  return (
    <nav className={classes.list} aria-label={t('questions')}>
      {questions.map(({ name, is_job: isJob, help }) => (
        <button
          key={name}
          type="button"
          className={classes.choice}
          aria-current={name === chosen}
          onClick={() => {
            ask({ question: name, sort: null });
          }}
        >
          <span className={classes.title}>
            {t(`question.${name as 'drift'}.title`, { defaultValue: name })}
            {isJob && <span className={classes.tag}>{t('isJob')}</span>}
          </span>
          <span className={classes.good}>{t(`question.${name as 'drift'}.good`, { defaultValue: help })}</span>
        </button>
      ))}
    </nav>
  );
}
