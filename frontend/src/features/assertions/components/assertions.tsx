import { Skeleton, Tabs } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { Page, PageProblem } from '@/components/ui/page';
import type { AssertionRunSummary } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useTab } from '@/hooks/use-view-state';
import { assertionsQuery } from '@/lib/api/assertions';
import { asProblem } from '@/lib/errors';
import { useAbsoluteTime } from '@/lib/time';

import { useAssertionsAsked, useRun } from '../use-assertions';
import { AssertionList } from './assertion-list';
import classes from './assertions.module.css';
import { CoveragePart } from './coverage-part';
import { FilePart } from './file-part';
import { NoAssertions } from './no-assertions';

/** What is asserted of an estate: the list with the last result of each, what it exercises, and its file. */
export function Assertions() {
  const { t } = useTranslation('assertions');
  const estate = useEstatePage();
  const [tab, setTab] = useTab(['list', 'coverage', 'file']);
  const run = useRun(estate.name);
  const { data, error, refetch } = useQuery(assertionsQuery(estate.name, useAssertionsAsked()));
  const counts = data?.counts;
  const enabled = counts === undefined ? 0 : counts.all - counts.disabled;
  return (
    <Page
      heading={t('heading')}
      about={t('about')}
      beside={
        <div className={classes.beside}>
          {data?.last_run && <LastRun run={data.last_run} />}
          <GuardedButton
            barred={counts !== undefined && enabled === 0 ? t('run.none') : null}
            leftSection={<IconPlayerPlay size={16} />}
            loading={run.isPending}
            onClick={() => {
              run.mutate(null);
            }}
          >
            {t('run.all', { count: enabled })}
          </GuardedButton>
        </div>
      }
    >
      <Tabs
        value={tab}
        keepMounted={false}
        className={classes.tabs ?? ''}
        onChange={(value) => {
          setTab(value);
        }}
      >
        <Tabs.List px="var(--bw-space-page)">
          <Tabs.Tab value="list">{t('tab.list', { count: counts?.all ?? 0 })}</Tabs.Tab>
          <Tabs.Tab value="coverage">{t('tab.coverage')}</Tabs.Tab>
          <Tabs.Tab value="file">{t('tab.file')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="list" className={classes.panel ?? ''}>
          {data === undefined ? (
            error === null ? (
              <Skeleton height={240} role="progressbar" aria-label={t('heading')} />
            ) : (
              <PageProblem problem={asProblem(error)} onRetry={() => void refetch()} />
            )
          ) : data.counts.all === 0 ? (
            <NoAssertions estate={estate.name} />
          ) : (
            <AssertionList estate={estate.name} found={data} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="coverage" className={classes.panel ?? ''}>
          <CoveragePart estate={estate.name} />
        </Tabs.Panel>
        <Tabs.Panel value="file" className={classes.panel ?? ''}>
          <FilePart estate={estate.name} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

/** When and against what they were run last, and how that went. */
function LastRun({ run: { at, basis, passed, failed, trigger, by } }: { run: AssertionRunSummary }) {
  const { t } = useTranslation('assertions');
  const timeText = useAbsoluteTime();
  const when = timeText(Date.parse(at));
  return (
    <span className={classes.quiet} role="status">
      {t('run.last', { passed, failed, revision: basis.revision, when })} {t(`trigger.${trigger}`, { by })}
    </span>
  );
}
