import { useTranslation } from 'react-i18next';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import { verdictOfDisposition } from '@/components/what-if/words';
import type { ToldAnswer, ToldNumber } from '@/contracts/api';
import { sentence } from '@/lib/errors';

import { answerWord, endSentences } from '../words';
import classes from './what-if-panel.module.css';

/** What becomes of the message, in a word and a sentence, with the number that says why. */
export function VerdictHead({ answer }: { answer: ToldAnswer }) {
  const { t } = useTranslation('trace');
  const way = answer.legs[0]?.ways[0];
  const number = way?.number ?? null;
  return (
    <div className={classes.verdict} data-light={answer.light}>
      <h2>
        <VerdictIcon verdict={verdictOfDisposition(answer.disposition)} size={26} />
        {answerWord(answer)}
      </h2>
      {way !== undefined && <p>{endSentences(answer, 'message', way).join(' ')}</p>}
      {number !== null && <NumberNote number={number} />}
      <p className={classes.note}>{t('answer.spoken', { contract: answer.contract, type: answer.message_type })}</p>
      {answer.stays_unacknowledged && (
        <p className={classes.caution} data-tone="lost">
          <VerdictIcon verdict="lost" size={16} />
          <span>{t('unacknowledged', { sender: answer.question.database })}</span>
        </p>
      )}
      {answer.followed < 0.9999 && <p className={classes.note}>{t('followed', { share: answer.followed })}</p>}
    </div>
  );
}

/** A number of the error catalogue: what it says, why, and what to do. */
export function NumberNote({ number: { number, text, why, cure } }: { number: ToldNumber }) {
  const { t } = useTranslation('trace');
  return (
    <div className={classes.number}>
      <strong>
        {number} · {text}
      </strong>
      {why !== '' && <p>{sentence(why)}</p>}
      {cure !== '' && (
        <p>
          <span className={classes.label}>{t('answer.cure')}</span> {sentence(cure)}
        </p>
      )}
    </div>
  );
}
