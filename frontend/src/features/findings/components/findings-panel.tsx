import { Button, Group, Pagination, SegmentedControl, Select, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { DataTable } from '@/components/ui/data-table';
import { EmptyState } from '@/components/ui/empty-state';
import { ListFoot, ListPart, PageProblem, Split } from '@/components/ui/page';
import { SeveritySign } from '@/components/severity-sign';
import type { Findings, Severity } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter, useSetParameters } from '@/hooks/use-view-state';
import { findingsQuery } from '@/lib/api/findings-read';
import { asProblem } from '@/lib/errors';

import { CheckList } from './check-list';
import { columns } from './columns';
import { FindingDetails } from './finding-details';
import classes from './findings-panel.module.css';

const rowsOfPage = 100;
const levels: readonly Severity[] = ['error', 'warning', 'info'];
const sets = ['without', 'only', 'all'] as const;

function useFilters() {
  const [level] = useParameter('level');
  const [code] = useParameter('code');
  const [instance] = useParameter('only');
  const [suppressed] = useParameter('suppressed');
  const [page] = useParameter('page');
  return {
    level: levels.find((value) => value === level) ?? 'info',
    suppressed: sets.find((value) => value === suppressed) ?? 'without',
    page: Math.max(1, Number.parseInt(page ?? '1', 10) || 1),
    rows: rowsOfPage,
    ...(code === null ? {} : { code }),
    ...(instance === null ? {} : { instance }),
  };
}

/** The findings of the estate, the gravest first, and beside them all about the one that is chosen. */
export function FindingsPanel() {
  const { t } = useTranslation('findings');
  const { name: estate, revision, change_set: draft } = useEstatePage();
  const asked = useFilters();
  const { data, error, isPlaceholderData, refetch } = useQuery(findingsQuery(estate, revision, draft, asked));
  const [chosen, choose] = useParameter('finding');

  if (data === undefined) {
    return error === null ? (
      <Skeleton height="100%" radius={0} role="progressbar" aria-label={t('checking')} />
    ) : (
      <PageProblem problem={asProblem(error)} onRetry={() => void refetch()} />
    );
  }
  const finding = data.findings.find(({ key }) => key === chosen);
  return (
    <Split
      label={t('about')}
      details={
        finding === undefined ? null : (
          <FindingDetails
            key={finding.key}
            finding={finding}
            onClose={() => {
              choose(null);
            }}
          />
        )
      }
    >
      <ListPart bar={<Bar findings={data} asked={asked} />} foot={<Foot findings={data} />}>
        <DataTable
          label={t('label')}
          columns={columns(t)}
          rows={data.findings}
          keyOf={({ key }) => key}
          rowHeight={36}
          isStale={isPlaceholderData}
          selected={chosen}
          onSelect={({ key }) => {
            choose(key === chosen ? null : key);
          }}
          empty={<Emptiness findings={data} />}
        />
      </ListPart>
    </Split>
  );
}

function Bar({ findings, asked }: { findings: Findings; asked: ReturnType<typeof useFilters> }) {
  const { t } = useTranslation('findings');
  const estate = useEstatePage();
  const set = useSetParameters();
  const filter = (values: Record<string, string | null>) => {
    set({ ...values, page: null, finding: null });
  };
  return (
    <div className={classes.bar}>
      <p className={classes.counts} role="status" aria-label={t('open')}>
        <SeveritySign severity="error" hasWord={false} /> {t('errors', { count: findings.errors })}
        <SeveritySign severity="warning" hasWord={false} /> {t('warnings', { count: findings.warnings })}
        <SeveritySign severity="info" hasWord={false} /> {t('infos', { count: findings.infos })}
        {findings.suppressed > 0 && (
          <span className={classes.aside2}>{t('suppressedCount', { count: findings.suppressed })}</span>
        )}
      </p>
      <Group gap={8} wrap="nowrap" className={classes.tools}>
        <SegmentedControl
          size="xs"
          aria-label={t('level.label')}
          data={levels.map((value) => ({ value, label: t(`level.${value}`) }))}
          value={asked.level}
          onChange={(level) => {
            filter({ level: level === 'info' ? null : level });
          }}
        />
        <Select
          size="xs"
          w={200}
          aria-label={t('filter.check')}
          placeholder={t('filter.allChecks')}
          clearable
          searchable
          data={findings.checked.map(({ code, title }) => ({ value: code, label: `${code} ${title}` }))}
          value={asked.code ?? null}
          onChange={(code) => {
            filter({ code });
          }}
        />
        <Select
          size="xs"
          w={172}
          aria-label={t('filter.instance')}
          placeholder={t('filter.allInstances')}
          clearable
          data={estate.instances.map(({ name }) => name)}
          value={asked.instance ?? null}
          onChange={(only) => {
            filter({ only });
          }}
        />
        <Select
          size="xs"
          w={120}
          aria-label={t('set.label')}
          allowDeselect={false}
          data={sets.map((value) => ({ value, label: t(`set.${value}`) }))}
          value={asked.suppressed}
          onChange={(suppressed) => {
            filter({ suppressed: suppressed === 'without' ? null : suppressed });
          }}
        />
      </Group>
    </div>
  );
}

function Foot({ findings }: { findings: Findings }) {
  const { t } = useTranslation('findings');
  const [, setPage] = useParameter('page');
  const counts = { count: findings.total, checks: findings.checked.length };
  return (
    <ListFoot>
      <span>
        {findings.change_set === null
          ? t('foot.live', { ...counts, revision: findings.revision })
          : t('foot.draft', { ...counts, number: findings.change_set.number })}
      </span>
      {findings.pages > 1 && (
        <Pagination
          size="sm"
          total={findings.pages}
          value={findings.page}
          onChange={(page) => {
            setPage(page === 1 ? null : String(page));
          }}
          getControlProps={(control) => ({ 'aria-label': t(`pages.${control}`) })}
        />
      )}
    </ListFoot>
  );
}

/** Nothing found is good news only if it says what was looked for. */
function Emptiness({ findings }: { findings: Findings }) {
  const { t } = useTranslation('findings');
  const set = useSetParameters();
  const isSound = findings.errors + findings.warnings + findings.infos + findings.suppressed === 0;
  if (!isSound) {
    return (
      <EmptyState
        action={
          <Button
            variant="default"
            onClick={() => {
              set({ level: null, code: null, only: null, suppressed: null, page: null });
            }}
          >
            {t('showAll')}
          </Button>
        }
      >
        {t('noMatch')}
      </EmptyState>
    );
  }
  return (
    <div className={classes.sound}>
      <EmptyState>{t('sound')}</EmptyState>
      <CheckList findings={findings} />
    </div>
  );
}
