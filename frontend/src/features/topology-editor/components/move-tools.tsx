import { ActionIcon, Button, Tooltip } from '@mantine/core';
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconArrowsMove,
  IconKeyboard,
  IconPinnedOff,
  IconSitemap,
  type Icon,
} from '@tabler/icons-react';
import { Panel } from '@xyflow/react';
import { useTranslation } from 'react-i18next';

import type { Graph } from '@/topology/graph';
import { opensInColumns } from '@/topology/placing';

import type { useArranging } from '../hooks/use-arranging';
import type { Positions } from '../hooks/use-positions';
import classes from './canvas-controls.module.css';

type Props = {
  graph: Graph;
  positions: Positions;
  arranging: ReturnType<typeof useArranging>;
  onMove: (() => void) | null;
  onKeys: () => void;
};

/** Moving boxes, taking that back, and laying out: what is about places and changes nothing of the estate. */
export function MoveTools({ graph, positions, arranging, onMove, onKeys }: Props) {
  const { t } = useTranslation('canvas');
  const { places, missing, undo, redo, move } = positions;
  const put = [...(places?.keys() ?? [])];
  const forget = () => {
    move(new Map(put.map((id) => [id, null])));
  };
  return (
    <>
      <Panel position="top-left" className={classes.panel} role="toolbar" aria-label={t('tools.label')}>
        <Tool
          label={t('tools.move')}
          sign={IconArrowsMove}
          barred={missing ?? (onMove === null ? t('tools.selectFirst') : null)}
          onAct={onMove}
        />
        <Tool
          label={t('tools.undoMove')}
          sign={IconArrowBackUp}
          barred={missing ?? (undo === null ? t('tools.nothingToUndo') : null)}
          onAct={undo}
        />
        <Tool
          label={t('tools.redoMove')}
          sign={IconArrowForwardUp}
          barred={missing ?? (redo === null ? t('tools.nothingToRedo') : null)}
          onAct={redo}
        />
        {opensInColumns(graph) && (
          <Tool
            label={t('tools.arrange')}
            sign={IconSitemap}
            barred={missing}
            onAct={() => {
              arranging.begin(null);
            }}
          />
        )}
        <Tool
          label={t('tools.forget')}
          sign={IconPinnedOff}
          barred={missing ?? (put.length === 0 ? t('tools.nothingPut') : null)}
          onAct={forget}
        />
        <Tool label={t('tools.keys')} sign={IconKeyboard} barred={null} onAct={onKeys} />
      </Panel>
      {arranging.seconds !== null && (
        <Panel position="top-center" className={classes.running} role="status">
          {t('arranging.title', { seconds: arranging.seconds })}
          <Button size="compact-sm" variant="default" onClick={arranging.cancel}>
            {t('arranging.cancel')}
          </Button>
        </Panel>
      )}
    </>
  );
}

type ToolProps = { label: string; sign: Icon; barred: string | null; onAct: (() => void) | null };

/** A button that says why it does nothing. */
function Tool({ label, sign: Sign, barred, onAct }: ToolProps) {
  return (
    <Tooltip label={barred ?? label} position="right" multiline maw={300}>
      <ActionIcon
        size={32}
        aria-label={label}
        aria-disabled={barred !== null}
        aria-description={barred ?? undefined}
        {...(barred === null ? {} : { 'data-disabled': true })}
        onClick={() => {
          if (barred === null) {
            onAct?.();
          }
        }}
      >
        <Sign size={17} />
      </ActionIcon>
    </Tooltip>
  );
}
