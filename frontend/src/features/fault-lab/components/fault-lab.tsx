import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { Page } from '@/components/ui/page';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter, useSetParameters } from '@/hooks/use-view-state';
import { failuresQuery } from '@/lib/api/possible-failures';

import { useFaultLab } from '../use-fault-lab';
import { ActiveFaults } from './active-faults';
import classes from './fault-lab.module.css';
import { FaultMatrix } from './fault-matrix';
import { FaultPicker } from './fault-picker';
import { FuturePanel } from './future-panel';
import { PairPanel } from './pair-panel';

const views = ['matrix', 'pairs', 'future'] as const;

/** What if something failed: faults are supposed, and every flow is asked again. Nothing that runs is touched. */
export function FaultLab() {
  const { t } = useTranslation('faults');
  const { name: estate, mirrors } = useEstatePage();
  const lab = useFaultLab();
  const failures = useQuery(failuresQuery(estate, lab, lab.state));
  const [given] = useParameter('view');
  const set = useSetParameters();
  const view = views.find((known) => known === given) ?? 'matrix';
  return (
    <Page heading={t('heading')} about={t('about')} tools={<ActiveFaults lab={lab} />}>
      <div className={classes.lab}>
        <FaultPicker lab={lab} failures={failures} />
        <Tabs
          value={view}
          keepMounted={false}
          className={classes.views ?? ''}
          onChange={(value) => {
            set({ view: value === 'matrix' ? null : value, page: null });
          }}
        >
          <Tabs.List>
            <Tabs.Tab value="matrix">{t('view.matrix')}</Tabs.Tab>
            <Tabs.Tab value="pairs">{t('view.pairs', { count: mirrors.length })}</Tabs.Tab>
            <Tabs.Tab value="future">{t('view.future')}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="matrix" className={classes.panel ?? ''}>
            <FaultMatrix lab={lab} failures={failures.data} />
          </Tabs.Panel>
          <Tabs.Panel value="pairs" className={classes.panel ?? ''}>
            <PairPanel lab={lab} />
          </Tabs.Panel>
          <Tabs.Panel value="future" className={classes.panel ?? ''}>
            <FuturePanel lab={lab} />
          </Tabs.Panel>
        </Tabs>
      </div>
    </Page>
  );
}
