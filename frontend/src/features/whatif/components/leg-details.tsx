import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { DispositionSign } from '@/components/what-if/light-sign';
import { dispositionWord } from '@/components/what-if/words';
import type { Estate, RouteLine, ToldAnswer } from '@/contracts/api';
import { waysOf, type Position } from '@/topology/what-if-steps';

import { endSentences } from '../words';
import { HopItem } from './hop-item';
import { NumberNote } from './verdict';
import classes from './what-if-panel.module.css';

type Props = {
  estate: Estate;
  answer: ToldAnswer;
  /** Whether another name than the one that is asked for is the likelier cure. */
  isMisspelled: boolean;
  lines: readonly RouteLine[];
  position: Position;
  /** The hop whose other routes are listed. */
  why: number | null;
  onMove: (position: Position) => void;
  onWhy: (hop: number | null) => void;
};

/** One leg: its ways, and the hops of the one that is on view, each with its decision explained. */
export function LegDetails({ estate, answer, isMisspelled, lines, position, why, onMove, onWhy }: Props) {
  const { t } = useTranslation(['trace', 'whatif']);
  const { leg } = position;
  const ways = waysOf(answer, leg);
  const way = ways[position.way];
  if (way === undefined) {
    return <p className={classes.note}>{t('ways.notReached')}</p>;
  }
  return (
    <section className={classes.details} aria-label={t(`whatif:leg.${leg}.word`)}>
      {ways.length > 1 && (
        <div role="group" aria-label={t('ways.label')} className={classes.ways}>
          {ways.map(({ share, disposition, number }, index) => (
            <UnstyledButton
              key={index}
              className={classes.way}
              aria-pressed={index === position.way}
              onClick={() => {
                onMove({ leg, way: index, hop: null, stage: null });
              }}
            >
              {t('ways.way', { share, word: dispositionWord(disposition, number?.number ?? null) })}
            </UnstyledButton>
          ))}
        </div>
      )}
      {(leg !== 'message' || position.way > 0) && (
        <div className={classes.end}>
          <DispositionSign disposition={way.disposition} number={way.number?.number ?? null} />
          <p>{endSentences(answer, leg, way).join(' ')}</p>
          {way.number !== null && <NumberNote number={way.number} />}
        </div>
      )}
      {way.hops.length === 0 && way.disposition === 'delivered' && (
        <p className={classes.note}>{t('ways.local', { instance: way.instance })}</p>
      )}
      <ol className={classes.hops} aria-label={t('hop.label')}>
        {way.hops.map((hop, index) => (
          <HopItem
            key={index}
            estate={estate}
            answer={answer}
            isMisspelled={isMisspelled && leg === 'message'}
            leg={leg}
            way={way}
            hop={hop}
            number={index + 1}
            lines={lines}
            state={position.hop === null ? 'listed' : position.hop === index ? 'now' : 'left'}
            stage={position.hop === index ? position.stage : null}
            isWhyOpen={why === index}
            onShow={() => {
              onMove({ ...position, hop: position.hop === index ? null : index, stage: null });
            }}
            onWhy={(isOpen) => {
              onWhy(isOpen ? index : null);
            }}
          />
        ))}
      </ol>
    </section>
  );
}
