import { useTranslation } from 'react-i18next';

import { numberText } from '@/i18n';
import { conversationStates, stateMeaning } from '@/live/states';
import { stateOf } from '@/live/grid/conversations';

import { State, TransmissionStatus } from '../../components/cells';
import { placeOf, textOf } from '../common';
import classes from './conversation.module.css';
import { HalfWords } from './half-row';
import type { BothEnds, End } from './use-both-ends';

/** Initiator and target, one below the other, and whether each has what the other has sent. */
export function Ends({ ends }: { ends: BothEnds }) {
  const { t } = useTranslation('views');
  return (
    <div className={classes.ends}>
      <OneEnd end={ends.initiator} ends={ends} title={t('conversations.initiator')} />
      <OneEnd end={ends.target} ends={ends} title={t('conversations.target')} />
      <Exchange from={ends.initiator} to={ends.target} words={t('conversations.initiatorToTarget')} />
      <Exchange from={ends.target} to={ends.initiator} words={t('conversations.targetToInitiator')} />
    </div>
  );
}

function OneEnd({ end, ends, title }: { end: End | null; ends: BothEnds; title: string }) {
  const { t } = useTranslation('views');
  if (end === null) {
    const { half, isKnown } = ends;
    const word = isKnown ? t('conversations.notThere') : t('source.waiting.word');
    return (
      <div className={classes.end} data-unknown>
        <h4>{title}</h4>
        <p>
          <strong>{half === null ? word : t(`conversations.half.${half.reason}.word`)}</strong>
        </p>
        <p>{half === null ? isKnown && t('conversations.rightlyGone') : <HalfWords half={half} />}</p>
      </div>
    );
  }
  const { row, read } = end;
  const state = stateOf(row, read);
  return (
    <div className={classes.end}>
      <h4>
        {title}
        {end.isPast && ` · ${t('conversations.past')}`}
      </h4>
      <p className={classes.mono}>{textOf(row, read, 'service_name')}</p>
      <p>{placeOf(row, read)}</p>
      {state !== null && (
        <p>
          <State state={state} />
          <span className={classes.meaning}>{state in conversationStates && stateMeaning(state)}</span>
        </p>
      )}
      {Number(read(row, 'waiting_messages')) > 0 && (
        <p>
          {t('conversations.waits', { count: Number(read(row, 'waiting_messages')) })}{' '}
          <TransmissionStatus number={read(row, 'transmission_status_number') as number | null} text="" />
        </p>
      )}
    </div>
  );
}

/** Numbers begin at 0: the next one to send is how many were sent, the next one expected how many have come. */
function Exchange({ from, to, words }: { from: End | null; to: End | null; words: string }) {
  const { t } = useTranslation('views');
  // Old numbers of one side and new ones of the other would contradict each other.
  const numberOf = (end: End | null, id: string) => (end === null || end.isPast ? null : Number(end.read(end.row, id)));
  const sent = numberOf(from, 'send_sequence');
  const arrived = numberOf(to, 'receive_sequence');
  const text = (value: number | null) => (value === null ? t('unknownCount') : numberText(value));
  return (
    <p className={classes.exchange}>
      {t('conversations.exchanged', { way: words, sent: text(sent), arrived: text(arrived) })}
      {sent !== null && arrived !== null && sent > arrived && (
        <strong>{t('conversations.underWay', { count: sent - arrived })}</strong>
      )}
    </p>
  );
}
