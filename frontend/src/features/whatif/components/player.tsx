import { ActionIcon, SegmentedControl, Tooltip, VisuallyHidden } from '@mantine/core';
import {
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerSkipBack,
  IconPlayerSkipForward,
  IconPlayerTrackNext,
  IconPlayerTrackPrev,
  type Icon,
} from '@tabler/icons-react';
import { useEffect, useEffectEvent, useId, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';

import type { ToldAnswer } from '@/contracts/api';
import { firstStage, moved, placeOf, played, start, stepsOf, type Move, type Position } from '@/topology/what-if-steps';

import { toldStep } from '../words';
import classes from './player.module.css';

/** Milliseconds that a stage is on view at the ordinary speed. */
const stagePause = 1600;
const speeds = ['0.5', '1', '2', '4'] as const;

const keysOf: Readonly<Record<string, Move>> = {
  ArrowLeft: 'back',
  ArrowRight: 'forward',
  Home: 'first',
  End: 'last',
};

type Props = { answer: ToldAnswer; position: Position; onMove: (position: Position) => void };

/** Goes through the round trip hop by hop, by hand or by itself; each hop is explained beside the map. */
export function Player({ answer, position, onMove }: Props) {
  const { t } = useTranslation(['trace', 'whatif']);
  const keys = useId();
  const steps = stepsOf(answer, position);
  const at = placeOf(steps, position);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<string>('1');
  usePlaying(isPlaying, stagePause / Number(speed), answer, position, onMove, () => {
    setPlaying(false);
  });
  const go = (move: Move) => {
    setPlaying(false);
    onMove(moved(steps, position, move));
  };
  const turn = () => {
    if (!isPlaying) {
      onMove(beginning(answer, position));
    }
    setPlaying(!isPlaying);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = keysOf[event.key];
    const isSpeed = event.target instanceof HTMLInputElement;
    const isPlayKey = event.key === ' ' && !(event.target instanceof HTMLButtonElement);
    if (isSpeed || event.ctrlKey || event.altKey || event.metaKey || (move === undefined && !isPlayKey)) {
      return;
    }
    event.preventDefault();
    if (move === undefined) {
      turn();
    } else {
      go(move);
    }
  };
  const told = at < 0 ? t('player.whole', { leg: t(`whatif:leg.${position.leg}.word`) }) : toldStep(answer, steps, at);
  const isAtEnd = at === steps.length - 1;
  return (
    // The keys of a player work wherever the focus is in it.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      className={classes.player}
      aria-label={t('player.label')}
      aria-describedby={keys}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <VisuallyHidden id={keys}>{t('player.keys')}</VisuallyHidden>
      <div className={classes.buttons}>
        <Control
          label={t('player.first')}
          sign={IconPlayerSkipBack}
          isOff={at <= 0}
          onAct={() => {
            go('first');
          }}
        />
        <Control
          label={t('player.back')}
          sign={IconPlayerTrackPrev}
          isOff={at <= 0}
          onAct={() => {
            go('back');
          }}
        />
        <Control
          label={isPlaying ? t('player.pause') : t('player.play')}
          sign={isPlaying ? IconPlayerPause : IconPlayerPlay}
          isMain
          onAct={turn}
        />
        <Control
          label={t('player.forward')}
          sign={IconPlayerTrackNext}
          isOff={isAtEnd}
          onAct={() => {
            go('forward');
          }}
        />
        <Control
          label={t('player.last')}
          sign={IconPlayerSkipForward}
          isOff={isAtEnd}
          onAct={() => {
            go('last');
          }}
        />
      </div>
      <span className={classes.count} aria-hidden>
        {at < 0 ? `– / ${steps.length}` : `${at + 1} / ${steps.length}`}
      </span>
      <p role="status" aria-live="polite" className={classes.told}>
        {told}
      </p>
      <SegmentedControl
        size="xs"
        aria-label={t('player.speed')}
        value={speed}
        onChange={setSpeed}
        data={speeds.map((value) => ({ value, label: `${value}×` }))}
      />
    </section>
  );
}

/** Where playing begins: at the hop on view from its beginning, after the end at the start again. */
function beginning(answer: ToldAnswer, position: Position): Position {
  const steps = stepsOf(answer, position);
  const at = placeOf(steps, position);
  if (at === steps.length - 1 && played(answer, steps, position) === null) {
    return firstStage(moved(steps, { ...start }, 'first'), answer);
  }
  return firstStage(at < 0 ? moved(steps, position, 'forward') : position, answer);
}

/** One stage after the other, each for its time, until the trip is over. */
function usePlaying(
  isPlaying: boolean,
  pause: number,
  answer: ToldAnswer,
  position: Position,
  onMove: (position: Position) => void,
  onEnd: () => void,
): void {
  const advance = useEffectEvent(() => {
    const next = played(answer, stepsOf(answer, position), position);
    if (next === null) {
      onEnd();
    } else {
      onMove(next);
    }
  });
  const { leg, way, hop, stage } = position;
  useEffect(() => {
    const timer = isPlaying ? setTimeout(advance, pause) : undefined;
    return () => {
      clearTimeout(timer);
    };
    // A stage has its time once: what is drawn anew meanwhile does not make it longer.
  }, [isPlaying, pause, leg, way, hop, stage]);
}

type ControlProps = { label: string; sign: Icon; isOff?: boolean; isMain?: boolean; onAct: () => void };

function Control({ label, sign: Sign, isOff = false, isMain = false, onAct }: ControlProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        size={isMain ? 36 : 32}
        {...(isMain ? { variant: 'filled', color: 'accent' } : { variant: 'default' })}
        aria-label={label}
        aria-disabled={isOff}
        {...(isOff ? { 'data-disabled': true } : {})}
        onClick={() => {
          if (!isOff) {
            onAct();
          }
        }}
      >
        <Sign size={17} />
      </ActionIcon>
    </Tooltip>
  );
}
