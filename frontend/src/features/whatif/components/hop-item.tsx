import { Button, UnstyledButton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { Badge } from '@/components/ui/badge';
import type { Estate, LegKind, RouteLine, ToldAnswer, ToldHop, ToldWay } from '@/contracts/api';
import { useSelection } from '@/hooks/use-view-state';
import { isReached, stagesOf, type Stage } from '@/topology/what-if-steps';

import { missingRouteAddress } from '../missing-route';
import { chooseSentence, deedSentence, matchSentence, soughtOn, tableSentence } from '../words';
import { HopLines } from './hop-lines';
import { WhyNot } from './why-not';
import classes from './what-if-panel.module.css';

type Props = {
  estate: Estate;
  answer: ToldAnswer;
  /** A route is second choice then. */
  isMisspelled: boolean;
  leg: LegKind;
  way: ToldWay;
  hop: ToldHop;
  number: number;
  lines: readonly RouteLine[];
  /** Listed among all; the one that is explained; or one of the others meanwhile. */
  state: 'listed' | 'now' | 'left';
  stage: Stage | null;
  isWhyOpen: boolean;
  onShow: () => void;
  onWhy: (isOpen: boolean) => void;
};

/** One decision: whose, by which route, where to; and, unless another one is explained, how it was found. */
export function HopItem(props: Props) {
  const { estate, answer, isMisspelled, leg, hop, number, state, onShow } = props;
  const { t } = useTranslation('trace');
  const item = useRef<HTMLLIElement>(null);
  const [, select] = useSelection();
  const isNow = state === 'now';
  useEffect(() => {
    if (isNow) {
      item.current?.scrollIntoView({ block: 'nearest' });
    }
  }, [isNow]);
  const create = missingRouteAddress(estate, answer, leg, hop);
  return (
    <li ref={item} className={classes.hop} data-state={state} aria-current={isNow ? 'step' : undefined}>
      <div className={classes.hopHead}>
        <UnstyledButton
          className={classes.hopNumber}
          aria-label={t('hop.show', { number })}
          aria-pressed={isNow}
          onClick={onShow}
        >
          {number}
        </UnstyledButton>
        <UnstyledButton
          className={classes.hopPlace}
          onClick={() => {
            select({ kind: 'database', instance: hop.instance, database: hop.table });
          }}
        >
          {t('hop.place', { instance: hop.instance, table: hop.table })}
        </UnstyledButton>
        {hop.route === null ? (
          <span className={classes.noRoute}>{hop.match_step === 0 ? '' : t('hop.byNone')}</span>
        ) : (
          <UnstyledButton
            className={classes.hopRoute}
            title={t('hop.onMap', { route: hop.route })}
            onClick={() => {
              select({ kind: 'route', instance: hop.instance, database: hop.table, route: hop.route ?? '' });
            }}
          >
            {hop.route}
          </UnstyledButton>
        )}
        {hop.share < 1 && <Badge>{t('hop.share', { share: hop.share })}</Badge>}
      </div>
      {state !== 'left' && <Decision {...props} />}
      {create !== null && state !== 'left' && (
        <div className={classes.create}>
          <Button
            component={Link}
            size="xs"
            variant={isMisspelled ? 'default' : 'filled'}
            leftSection={<IconPlus size={14} />}
            to={create}
          >
            {t('hop.create')}
          </Button>
          <span className={classes.note}>
            {t('hop.createAbout', { table: hop.table, instance: hop.instance, service: soughtOn(answer, leg) })}
          </span>
        </div>
      )}
    </li>
  );
}

/** The stages of a decision, one after the other; while it is played, as far as it has come. */
function Decision({ estate, way, hop, lines, stage, isWhyOpen, onWhy }: Props) {
  const { t } = useTranslation('trace');
  const { candidates, losses, others, caution } = hop;
  const words: Record<Stage, string> = {
    table: tableSentence(way, hop),
    match: `${matchSentence(hop)} ${t('candidates', { count: candidates.length, names: candidates.join(', ') })}`,
    choose: chooseSentence(hop),
    go: deedSentence(way, hop),
  };
  return (
    <>
      <ol className={classes.stages}>
        {stagesOf(hop).map((each) => (
          <li key={each} data-reached={isReached(each, stage)} data-now={each === stage}>
            <span className={classes.label}>{t(`stage.${each}`)}</span>
            <span>{words[each]}</span>
          </li>
        ))}
      </ol>
      {caution !== null && <p className={classes.note}>{t(`hop.${caution}`)}</p>}
      {losses.length + others > 0 && (
        <WhyNot estate={estate} hop={hop} lines={lines} isOpen={isWhyOpen} onOpen={onWhy} />
      )}
      <HopLines hop={hop} lines={lines} />
    </>
  );
}
