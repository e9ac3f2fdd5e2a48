import { ActionIcon, Popover, Tooltip } from '@mantine/core';
import {
  IconFocusCentered,
  IconFold,
  IconLayoutNavbarExpand,
  IconMinus,
  IconPlus,
  IconQuestionMark,
} from '@tabler/icons-react';
import { Panel, useReactFlow } from '@xyflow/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import classes from './canvas-controls.module.css';
import { Legend } from './legend';

type Props = {
  onFit: (milliseconds: number) => void;
  isAnyFolded: boolean;
  onFoldAll: (isAllFolded: boolean) => void;
  panel: ReactNode;
};

/** Zoom, fit, fold, and the key to the drawing's signs. */
export function CanvasControls({ onFit, isAnyFolded, onFoldAll, panel }: Props) {
  const { t } = useTranslation('canvas');
  const { zoomIn, zoomOut } = useReactFlow();
  const actions = [
    { label: t('controls.zoomIn'), sign: IconPlus, act: () => void zoomIn({ duration: 120 }) },
    { label: t('controls.zoomOut'), sign: IconMinus, act: () => void zoomOut({ duration: 120 }) },
    {
      label: t('controls.fit'),
      sign: IconFocusCentered,
      act: () => {
        onFit(180);
      },
    },
    {
      label: isAnyFolded ? t('controls.unfoldAll') : t('controls.foldAll'),
      sign: isAnyFolded ? IconLayoutNavbarExpand : IconFold,
      act: () => {
        onFoldAll(!isAnyFolded);
      },
    },
  ];
  return (
    <Panel position="bottom-left" className={classes.panel}>
      {panel}
      {actions.map(({ label, sign: Sign, act }) => (
        <Tooltip key={label} label={label} position="right">
          <ActionIcon size={32} aria-label={label} onClick={act}>
            <Sign size={17} />
          </ActionIcon>
        </Tooltip>
      ))}
      <Popover position="right-end" shadow="md" width={320} withinPortal>
        <Popover.Target>
          <Tooltip label={t('controls.legend')} position="right">
            <ActionIcon size={32} aria-label={t('controls.legend')}>
              <IconQuestionMark size={17} />
            </ActionIcon>
          </Tooltip>
        </Popover.Target>
        <Popover.Dropdown>
          <Legend />
        </Popover.Dropdown>
      </Popover>
    </Panel>
  );
}
