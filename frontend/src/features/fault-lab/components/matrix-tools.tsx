import { Chip, Group, SegmentedControl, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { useParameter, useSetParameters } from '@/hooks/use-view-state';

import type { Columns } from '../use-columns';
import type { FaultLab } from '../use-fault-lab';
import classes from './fault-matrix.module.css';

/** Stands in the address when every kind is switched off. */
const noKind = 'none';

type Props = { lab: FaultLab; columns: Columns; children: ReactNode };

/** What the columns are, and which flows are rows. */
export function MatrixTools({ lab, columns: { faults, present, kinds, isPairs }, children }: Props) {
  const { t } = useTranslation('faults');
  const [all] = useParameter('all');
  const set = useSetParameters();
  return (
    <div className={classes.tools}>
      <SegmentedControl
        size="xs"
        aria-label={t('preset.label')}
        value={isPairs ? 'pairs' : 'single'}
        data={(['single', 'pairs'] as const).map((value) => ({ value, label: t(`preset.${value}`) }))}
        onChange={(value) => {
          set({ preset: value === 'pairs' ? value : null, columns: null, page: null });
        }}
      />
      <Chip.Group
        multiple
        value={[...kinds]}
        onChange={(chosen) => {
          const left = present.filter((kind) => chosen.includes(kind));
          set({ kinds: left.length === present.length ? null : left.join(',') || noKind, page: null, columns: null });
        }}
      >
        <Group gap={6} role="group" aria-label={t('matrix.kinds')}>
          {present.map((kind) => (
            <Chip key={kind} value={kind} size="xs" radius="sm" variant="outline">
              {t('matrix.kind', {
                kind: t(`kind.${kind}`),
                count: faults.filter((one) => one.kind === kind).length,
              })}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {lab.flow === null && (
        <Switch
          size="xs"
          label={t('matrix.onlyChanged')}
          checked={all === null}
          onChange={(event) => {
            set({ all: event.currentTarget.checked ? null : '1', page: null });
          }}
        />
      )}
      {children}
    </div>
  );
}
