import { ActionIcon, Button } from '@mantine/core';
import { IconRestore, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { ToolBar } from '@/components/ui/page';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import { BasisChip } from '@/components/what-if/basis-chip';
import { useEstatePage } from '@/hooks/use-estate-page';
import { faultText, faultWords } from '@/topology/faults';

import type { FaultLab } from '../use-fault-lab';
import classes from './fault-lab.module.css';

/** What is supposed, always on view: of which state, at which instant, and which faults. */
export function ActiveFaults({ lab }: { lab: FaultLab }) {
  const { t } = useTranslation('faults');
  const { revision, change_set: draft } = useEstatePage();
  const at = lab.at === null ? null : Date.parse(lab.at);
  return (
    <ToolBar>
      <div role="group" aria-label={t('active.label')} className={classes.active}>
        <BasisChip basis={{ revision, draft: draft?.number ?? null, isLive: draft === null, at, faults: [] }} />
        {lab.faults.length === 0 && <span className={classes.quiet}>{t('active.none')}</span>}
        {lab.faults.map((fault) => (
          <span key={faultText(fault)} className={classes.fault}>
            <VerdictIcon verdict="lost" size={13} />
            {faultWords(fault)}
            <ActionIcon
              variant="transparent"
              size={16}
              aria-label={t('active.remove', { fault: faultWords(fault) })}
              onClick={() => {
                lab.toggle(fault);
              }}
            >
              <IconX size={13} />
            </ActionIcon>
          </span>
        ))}
      </div>
      {lab.unreadable.length > 0 && (
        <span role="alert" className={classes.unreadable}>
          {t('active.unreadable', { count: lab.unreadable.length, parts: lab.unreadable.join(', ') })}
        </span>
      )}
      {lab.at !== null && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            lab.setAt(null);
          }}
        >
          {t('active.now')}
        </Button>
      )}
      {(lab.faults.length + lab.unreadable.length > 0 || lab.at !== null) && (
        <Button size="compact-sm" leftSection={<IconRestore size={15} />} onClick={lab.reset}>
          {t('active.reset')}
        </Button>
      )}
    </ToolBar>
  );
}
