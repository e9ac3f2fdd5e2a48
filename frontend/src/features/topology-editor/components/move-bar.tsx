import { ActionIcon, Button } from '@mantine/core';
import { IconArrowDown, IconArrowLeft, IconArrowRight, IconArrowUp } from '@tabler/icons-react';
import { Panel } from '@xyflow/react';
import { useTranslation } from 'react-i18next';

import type { Direction } from '@/topology/neighbour';

import classes from './move-bar.module.css';

const signs = {
  left: IconArrowLeft,
  up: IconArrowUp,
  down: IconArrowDown,
  right: IconArrowRight,
} as const satisfies Record<Direction, unknown>;

type Props = { name: string; onStep: (direction: Direction) => void; onDone: () => void; onCancel: () => void };

/** A box is on the move: by steps, or to where the drawing is clicked. Nothing has to be dragged. */
export function MoveBar({ name, onStep, onDone, onCancel }: Props) {
  const { t } = useTranslation('canvas');
  return (
    <Panel position="top-center" className={classes.bar} role="group" aria-label={t('move.title', { name })}>
      <span>
        <strong>{t('move.title', { name })}</strong> {t('move.about')}
      </span>
      {(['left', 'up', 'down', 'right'] as const).map((direction) => {
        const Sign = signs[direction];
        return (
          <ActionIcon
            key={direction}
            size={30}
            variant="default"
            aria-label={t(`move.${direction}`)}
            onClick={() => {
              onStep(direction);
            }}
          >
            <Sign size={17} />
          </ActionIcon>
        );
      })}
      <Button size="compact-sm" onClick={onDone}>
        {t('move.done')}
      </Button>
      <Button size="compact-sm" variant="default" onClick={onCancel}>
        {t('move.cancel')}
      </Button>
    </Panel>
  );
}
