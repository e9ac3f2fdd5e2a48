import { Button, Group, Pagination, SegmentedControl, Select, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';

import { DataTable } from '@/components/ui/data-table';
import { EmptyState } from '@/components/ui/empty-state';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { SeveritySign } from '@/components/severity-sign';
import type { Findings, Severity } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter, useSetParameters } from '@/hooks/use-view-state';
import { findingsQuery } from '@/lib/api/findings-read';
import { asProblem } from '@/lib/errors';
import { counted } from '@/topology/words';

import { CheckList } from './check-list';
import { columns } from './columns';
import { FindingDetails } from './finding-details';
import classes from './findings-panel.module.css';

const rowsOfPage = 100;
const levels: { value: Severity; label: string }[] = [
  { value: 'error', label: 'Errors' },
  { value: 'warning', label: 'and warnings' },
  { value: 'info', label: 'and notes' },
];
const sets = [
  { value: 'without', label: 'Open' },
  { value: 'only', label: 'Suppressed' },
  { value: 'all', label: 'All' },
] as const;

function useFilters() {
  const [level] = useParameter('level');
  const [code] = useParameter('code');
  const [instance] = useParameter('only');
  const [suppressed] = useParameter('suppressed');
  const [page] = useParameter('page');
  return {
    level: levels.find(({ value }) => value === level)?.value ?? 'info',
    suppressed: sets.find(({ value }) => value === suppressed)?.value ?? 'without',
    page: Math.max(1, Number.parseInt(page ?? '1', 10) || 1),
    rows: rowsOfPage,
    ...(code === null ? {} : { code }),
    ...(instance === null ? {} : { instance }),
  };
}

/** The findings of the estate, the gravest first, and beside them all about the one that is chosen. */
export function FindingsPanel() {
  const { name: estate, revision } = useEstatePage();
  const asked = useFilters();
  const { data, error, isPlaceholderData, refetch } = useQuery(findingsQuery(estate, revision, asked));
  const [chosen, choose] = useParameter('finding');

  if (data === undefined) {
    return error === null ? (
      <Skeleton height="100%" radius={0} aria-label="Checking the estate" />
    ) : (
      <div className={classes.failed}>
        <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
      </div>
    );
  }
  const finding = data.findings.find(({ key }) => key === chosen);
  return (
    <div className={classes.panel} data-details={finding !== undefined}>
      <div className={classes.list}>
        <Bar findings={data} asked={asked} />
        <div className={classes.table}>
          <DataTable
            label="Findings"
            columns={columns}
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
        </div>
        <Foot findings={data} />
      </div>
      {finding !== undefined && (
        <aside className={classes.aside} aria-label="About the finding">
          <FindingDetails
            key={finding.key}
            finding={finding}
            onClose={() => {
              choose(null);
            }}
          />
        </aside>
      )}
    </div>
  );
}

function Bar({ findings, asked }: { findings: Findings; asked: ReturnType<typeof useFilters> }) {
  const estate = useEstatePage();
  const set = useSetParameters();
  const filter = (values: Record<string, string | null>) => {
    set({ ...values, page: null, finding: null });
  };
  return (
    <div className={classes.bar}>
      <p className={classes.counts} role="status" aria-label="Open findings">
        <SeveritySign severity="error" hasWord={false} /> {counted(findings.errors, 'error')}
        <SeveritySign severity="warning" hasWord={false} /> {counted(findings.warnings, 'warning')}
        <SeveritySign severity="info" hasWord={false} /> {counted(findings.infos, 'note')}
        {findings.suppressed > 0 && <span className={classes.aside2}>{findings.suppressed.toLocaleString('en')} suppressed</span>}
      </p>
      <Group gap={8} wrap="nowrap" className={classes.tools}>
        <SegmentedControl
          size="xs"
          aria-label="Least severity"
          data={levels}
          value={asked.level}
          onChange={(level) => {
            filter({ level: level === 'info' ? null : level });
          }}
        />
        <Select
          size="xs"
          w={220}
          aria-label="Check"
          placeholder="All checks"
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
          w={132}
          aria-label="Instance"
          placeholder="All instances"
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
          aria-label="Suppressed or not"
          allowDeselect={false}
          data={[...sets]}
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
  const [, setPage] = useParameter('page');
  return (
    <div className={classes.foot}>
      <span>
        {counted(findings.total, 'finding')} of revision {findings.revision}; {findings.checked.length} checks ran
      </span>
      {findings.pages > 1 && (
        <Pagination
          size="sm"
          total={findings.pages}
          value={findings.page}
          onChange={(page) => {
            setPage(page === 1 ? null : String(page));
          }}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        />
      )}
    </div>
  );
}

/** Nothing found is good news only if it says what was looked for. */
function Emptiness({ findings }: { findings: Findings }) {
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
            Show all open findings
          </Button>
        }
      >
        No finding matches the filter.
      </EmptyState>
    );
  }
  return (
    <div className={classes.sound}>
      <EmptyState>Nothing is wrong with the definitions of this estate.</EmptyState>
      <CheckList findings={findings} />
    </div>
  );
}
