import { Button, Drawer, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { Badge } from '@/components/ui/badge';
import { DataTable, type Column } from '@/components/ui/data-table';
import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { Fact, Facts, Section } from '@/components/ui/section';
import type { AuditRow } from '@/contracts/api';
import { useRevert } from '@/hooks/use-revert';
import { useMissingRight } from '@/hooks/use-rights';
import { useParameter } from '@/hooks/use-view-state';
import { asProblem } from '@/lib/errors';
import { absoluteTime } from '@/lib/time';
import { objectPlace, valueText } from '@/topology/object-words';
import { counted } from '@/topology/words';

import { auditQuery, type AuditAsked } from '../api/audit-read';
import classes from './audit.module.css';

const origins: Record<AuditRow['origin'], string> = {
  ui: 'Dashboard',
  api: 'API',
  import: 'Import',
  'command-line': 'Command line',
  job: 'Job',
  unrecorded: 'Not recorded',
};

const columns: readonly Column<AuditRow>[] = [
  { id: 'at', title: 'When (UTC)', width: 210, cell: ({ decided_at: at }) => absoluteTime(Date.parse(at)) },
  { id: 'who', title: 'Who', width: 120, cell: ({ author }) => author ?? 'Nobody' },
  { id: 'what', title: 'What', cell: ({ summary }) => <span title={summary}>{summary}</span> },
  { id: 'from', title: 'From', width: 200, cell: ({ origin, client_address: address }) => (address === '' ? origins[origin] : `${origins[origin]}, ${address}`) },
  { id: 'came', title: 'What came of it', width: 190, cell: outcome },
];

function outcome({ revision, change_set: number, is_undone: isUndone }: AuditRow) {
  if (revision !== null) {
    return <Badge verdict="delivered">revision {revision}</Badge>;
  }
  return <Badge>{`draft #${number ?? '?'}${isUndone ? ', undone' : ''}`}</Badge>;
}

/** The log of decisions: filtered, paged by the server, each with its objects before and after. */
export function AuditLog({ estate }: { estate: string }) {
  const [author, setAuthor] = useParameter('author');
  const [object, setObject] = useParameter('object');
  const [before, setBefore] = useParameter('before');
  const [chosen, choose] = useState<AuditRow | null>(null);
  const asked: AuditAsked = {
    ...(author === null ? {} : { author }),
    ...(object === null ? {} : { object }),
    ...(before === null ? {} : { before: Number(before) }),
  };
  const { data, error, refetch } = useQuery(auditQuery(estate, asked));
  if (error !== null && data === undefined) {
    return <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />;
  }
  const next = data?.next_before ?? null;
  const download = new URLSearchParams({ format: 'csv', ...(author === null ? {} : { author }), ...(object === null ? {} : { object }) });
  return (
    <div className={classes.audit}>
      <div className={classes.bar}>
        <Filter label="Who" value={author} onChange={setAuthor} />
        <Filter label="Object" value={object} onChange={setObject} />
        <span className={classes.count}>{data === undefined ? '' : counted(data.total, 'decision')}</span>
        <Button component="a" size="xs" variant="default" leftSection={<IconDownload size={14} />} href={`/api/v1/estates/${encodeURIComponent(estate)}/audit?${download.toString()}`}>
          CSV
        </Button>
        {before !== null && (
          <Button size="xs" variant="default" onClick={() => { setBefore(null); }}>
            Newest
          </Button>
        )}
        {next !== null && (
          <Button size="xs" variant="default" onClick={() => { setBefore(String(next)); }}>
            Older
          </Button>
        )}
      </div>
      <DataTable
        label="Decisions"
        columns={columns}
        rows={data?.items ?? []}
        keyOf={({ sequence }) => String(sequence)}
        rowHeight={36}
        selected={chosen === null ? null : String(chosen.sequence)}
        onSelect={choose}
        empty={data === undefined ? null : <p className={classes.none}>No decision matches. Clear the filter to see all.</p>}
      />
      <Drawer opened={chosen !== null} onClose={() => { choose(null); }} position="right" size={480} title={chosen?.summary} closeButtonProps={{ 'aria-label': 'Close the decision' }}>
        {chosen !== null && <Decision estate={estate} row={chosen} />}
      </Drawer>
    </div>
  );
}

function Filter({ label, value, onChange }: { label: string; value: string | null; onChange: (value: string | null) => void }) {
  return (
    <TextInput
      size="xs"
      aria-label={label}
      placeholder={label}
      defaultValue={value ?? ''}
      onBlur={(event) => { onChange(event.currentTarget.value.trim() || null); }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          onChange(event.currentTarget.value.trim() || null);
        }
      }}
    />
  );
}

function Decision({ estate, row }: { estate: string; row: AuditRow }) {
  return (
    <>
      <Section title="Who and from where">
        <Facts>
          <Fact label="Who">{row.author ?? 'Nobody'}</Fact>
          <Fact label="When">{absoluteTime(Date.parse(row.decided_at))}</Fact>
          <Fact label="From">{[origins[row.origin], row.client_address].filter((text) => text !== '').join(', ')}</Fact>
          {row.user_agent !== '' && <Fact label="Client">{row.user_agent}</Fact>}
          {row.request_id !== '' && <Fact label="Request">{row.request_id}</Fact>}
        </Facts>
      </Section>
      {row.revision !== null && <Revert estate={estate} revision={row.revision} />}
      <Section title={`Before and after (${row.object_count})`}>
        {row.objects.map((object) => (
          <div key={`${object.instance}\n${object.database ?? ''}\n${object.kind}\n${object.name}`} className={classes.object}>
            <p>
              <strong>{object.name}</strong> <span className={classes.place}>{object.kind.replaceAll('-', ' ')}, {objectPlace(object)}</span>
            </p>
            <dl className={classes.fields}>
              {object.fields.map((field) => (
                <div key={field.name}>
                  <dt>{field.name.replaceAll('_', ' ')}</dt>
                  <dd>
                    <del>{valueText(field.before)}</del> <ins>{valueText(field.after)}</ins>
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
        {row.object_count > row.objects.length && <p className={classes.place}>The download has the other {row.object_count - row.objects.length}.</p>}
      </Section>
    </>
  );
}

function Revert({ estate, revision }: { estate: string; revision: number }) {
  const missing = useMissingRight('edit');
  const revert = useRevert(estate);
  return (
    <Section title="Take it back">
      <p className={classes.place}>A draft is made that puts back what revision {revision} has changed. Nothing is live before it is applied.</p>
      <GuardedButton barred={missing} size="xs" variant="default" loading={revert.isPending} onClick={() => { revert.mutate(revision); }}>
        Revert revision {revision}
      </GuardedButton>
    </Section>
  );
}
