import { Button, NativeSelect, Skeleton, Slider } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconPlayerSkipBack, IconPlayerSkipForward } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { Section } from '@/components/ui/section';
import type { TrainingScene } from '@/contracts/api';
import { asProblem } from '@/lib/errors';

import { momentQuery, replayQuery } from '../api/training';
import { clockText } from '../time-words';
import { Notice } from './notice';
import { Score, TaskList } from './task-list';
import classes from './training.module.css';

const speeds = [1, 10, 60, 600] as const;
const frameMilliseconds = 500;

type Bounds = { first: number; last: number };

/** The second that is on view, and whether it goes on by itself. */
function usePlayback({ first, last }: Bounds) {
  const [seconds, setSeconds] = useState(first);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<number>(60);
  useEffect(() => {
    if (!isPlaying) {
      return undefined;
    }
    const timer = setInterval(() => {
      setSeconds((now) => Math.min(last, now + (speed * frameMilliseconds) / 1000));
    }, frameMilliseconds);
    return () => {
      clearInterval(timer);
    };
  }, [isPlaying, speed, last]);
  return { seconds, setSeconds, isPlaying: isPlaying && seconds < last, setPlaying, speed, setSpeed };
}

/** One's own run once more, step by step or by itself. */
export function Replay({ session }: { session: string }) {
  const { t } = useTranslation('training');
  const { data, error } = useQuery(replayQuery(session));
  if (data === undefined) {
    return error === null ? (
      <Skeleton height={160} role="progressbar" aria-label={t('reading')} />
    ) : (
      <ProblemPanel problem={asProblem(error)} />
    );
  }
  return (
    <Section title={t('replay.heading')}>
      {data.run.notice !== null && <Notice notice={data.run.notice} />}
      <Playback
        session={session}
        scenes={data.scenes}
        bounds={{ first: data.begun_seconds, last: Math.max(data.ended_seconds, data.begun_seconds) }}
      />
    </Section>
  );
}

function Playback({ session, scenes, bounds }: { session: string; scenes: TrainingScene[]; bounds: Bounds }) {
  const { t } = useTranslation('training');
  const play = usePlayback(bounds);
  const { data: moment, error } = useQuery(momentQuery(session, play.seconds));
  const deeds = scenes.filter(({ kind }) => kind !== 'clock');
  const stops = [bounds.first, ...deeds.map(({ seconds }) => seconds), bounds.last];
  const before = stops.filter((each) => each < play.seconds).at(-1);
  const after = stops.find((each) => each > play.seconds);
  const go = (seconds: number | undefined) => {
    play.setPlaying(false);
    play.setSeconds(seconds ?? play.seconds);
  };
  return (
    <>
      <div className={classes.clock} role="group" aria-label={t('replay.heading')}>
        <span className={classes.time}>{clockText(play.seconds)}</span>
        <Button
          size="compact-sm"
          variant="default"
          disabled={before === undefined}
          leftSection={<IconPlayerSkipBack size={14} />}
          onClick={() => {
            go(before);
          }}
        >
          {t('replay.back')}
        </Button>
        <Button
          size="compact-sm"
          leftSection={play.isPlaying ? <IconPlayerPause size={14} /> : <IconPlayerPlay size={14} />}
          disabled={!play.isPlaying && play.seconds >= bounds.last}
          onClick={() => {
            play.setPlaying(!play.isPlaying);
          }}
        >
          {play.isPlaying ? t('clock.pause') : t('replay.play')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          disabled={after === undefined}
          leftSection={<IconPlayerSkipForward size={14} />}
          onClick={() => {
            go(after);
          }}
        >
          {t('replay.next')}
        </Button>
        <NativeSelect
          size="xs"
          aria-label={t('replay.speed')}
          value={String(play.speed)}
          data={speeds.map((speed) => ({ value: String(speed), label: `×${speed}` }))}
          onChange={(event) => {
            play.setSpeed(Number(event.currentTarget.value));
          }}
        />
      </div>
      <Slider
        min={bounds.first}
        max={bounds.last}
        value={play.seconds}
        label={null}
        thumbLabel={t('replay.position')}
        onChange={go}
      />
      <Deeds scenes={deeds} seconds={play.seconds} />
      {error !== null && <ProblemPanel problem={asProblem(error)} />}
      {moment !== undefined && (
        <>
          <Score grading={moment.grading} />
          <TaskList tasks={moment.tasks} />
        </>
      )}
    </>
  );
}

function Deeds({ scenes, seconds }: { scenes: TrainingScene[]; seconds: number }) {
  const { t } = useTranslation('training');
  return (
    <ol className={classes.steps} aria-label={t('replay.deeds')}>
      {scenes.map((scene, at) => (
        <li key={at} data-past={scene.seconds <= seconds}>
          <span className={classes.faint}>
            {clockText(scene.seconds)}
            {scene.kind === 'script' && ` · ${scene.instance} · ${scene.database}`}
          </span>
          {scene.kind === 'script' ? (
            // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard
            <pre tabIndex={0}>{scene.script.trim()}</pre>
          ) : (
            <p>
              {t(scene.kind === 'fault-begun' ? 'replay.broken' : 'replay.mended', {
                name: scene.fault?.instance ?? '',
              })}
            </p>
          )}
          {scene.errors.length > 0 && (
            <p className={classes.bad}>{t('replay.errors', { numbers: scene.errors.join(', ') })}</p>
          )}
        </li>
      ))}
    </ol>
  );
}
