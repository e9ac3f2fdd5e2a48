import { Button, Drawer, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { CopyText } from '@/components/ui/copy-text';
import { DataTable, type Column } from '@/components/ui/data-table';
import { EmptyState } from '@/components/ui/empty-state';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Count, ListPart, PageProblem, ToolBar } from '@/components/ui/page';
import { Fact, Facts, Section } from '@/components/ui/section';
import type { AuditRow } from '@/contracts/api';
import { useRevert } from '@/hooks/use-revert';
import { useMissingRight } from '@/hooks/use-rights';
import { useParameter, useSetParameters } from '@/hooks/use-view-state';
import { asProblem } from '@/lib/errors';
import { fieldText, valueText } from '@/lib/object-values';
import { absoluteTime, useAbsoluteTime } from '@/lib/time';
import { authorText, kindText, objectPlace } from '@/topology/object-words';

import { auditQuery, type AuditAsked } from '../api/audit-read';
import classes from './audit.module.css';
import { ChainLine } from './chain-line';

const columns = (t: TFunction<'audit'>): readonly Column<AuditRow>[] => [
  { id: 'at', title: t('when'), isTime: true, width: 210, cell: ({ decided_at: at }) => absoluteTime(Date.parse(at)) },
  { id: 'who', title: t('who'), width: 120, cell: ({ author }) => authorText(author) },
  { id: 'what', title: t('what'), cell: ({ summary }) => <span title={summary}>{summary}</span> },
  { id: 'from', title: t('where'), width: 200, cell: (row) => originText(t, row) },
  { id: 'came', title: t('outcome'), width: 220, cell: (row) => <Outcome {...row} /> },
];

function originText(t: TFunction<'audit'>, { origin, client_address: address }: AuditRow): string {
  return t('from', { origin: t(`origin.${origin}`), address: address === '' ? 'none' : address });
}

function Outcome({ revision, change_set: number, is_undone: isUndone }: AuditRow) {
  const { t } = useTranslation('audit');
  if (revision !== null) {
    return <Badge verdict="delivered">{t('revision', { revision })}</Badge>;
  }
  if (number === null) {
    // Something about the estate that is no definition, and no draft: it was done when it was decided.
    return null;
  }
  return <Badge>{t('draft', { number, undone: isUndone ? 'yes' : 'no' })}</Badge>;
}

/** The log of decisions: filtered, paged by the server, each with its objects before and after. */
export function AuditLog({ estate }: { estate: string }) {
  const { t } = useTranslation('audit');
  const [author, setAuthor] = useParameter('author');
  const [object, setObject] = useParameter('object');
  const [before, setBefore] = useParameter('before');
  const set = useSetParameters();
  const [chosen, choose] = useState<AuditRow | null>(null);
  const asked: AuditAsked = {
    ...(author === null ? {} : { author }),
    ...(object === null ? {} : { object }),
    ...(before === null ? {} : { before: Number(before) }),
  };
  const { data, error, refetch } = useQuery(auditQuery(estate, asked));
  if (error !== null && data === undefined) {
    return <PageProblem problem={asProblem(error)} onRetry={() => void refetch()} />;
  }
  const next = data?.next_before ?? null;
  const download = new URLSearchParams({
    format: 'csv',
    ...(author === null ? {} : { author }),
    ...(object === null ? {} : { object }),
  });
  return (
    <ListPart
      bar={
        <ToolBar>
          <Filter key={`author ${author ?? ''}`} label={t('who')} value={author} onChange={setAuthor} />
          <Filter key={`object ${object ?? ''}`} label={t('object')} value={object} onChange={setObject} />
          <ChainLine estate={estate} />
          <Count>{data === undefined ? '' : t('decisions', { count: data.total })}</Count>
          <Button
            component="a"
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
            href={`/api/v1/estates/${encodeURIComponent(estate)}/audit?${download.toString()}`}
          >
            {t('csv')}
          </Button>
          <Button
            component="a"
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
            href={`/api/v1/estates/${encodeURIComponent(estate)}/audit?${new URLSearchParams({ ...Object.fromEntries(download), format: 'json' }).toString()}`}
          >
            {t('json')}
          </Button>
          {before !== null && (
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                setBefore(null);
              }}
            >
              {t('newest')}
            </Button>
          )}
          {next !== null && (
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                setBefore(String(next));
              }}
            >
              {t('older')}
            </Button>
          )}
        </ToolBar>
      }
    >
      <DataTable
        label={t('label')}
        columns={columns(t)}
        rows={data?.items ?? []}
        keyOf={({ sequence }) => String(sequence)}
        rowHeight={36}
        selected={chosen === null ? null : String(chosen.sequence)}
        onSelect={choose}
        empty={
          data !== undefined && (
            <EmptyState
              action={
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => {
                    set({ author: null, object: null, before: null });
                  }}
                >
                  {t('clear')}
                </Button>
              }
            >
              {t('noMatch')}
            </EmptyState>
          )
        }
      />
      <Drawer
        opened={chosen !== null}
        onClose={() => {
          choose(null);
        }}
        position="right"
        size={480}
        title={chosen?.summary}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {chosen !== null && <Decision estate={estate} row={chosen} />}
      </Drawer>
    </ListPart>
  );
}

function Filter({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | null;
  onChange: (value: string | null) => void;
}) {
  return (
    <TextInput
      size="xs"
      aria-label={label}
      placeholder={label}
      defaultValue={value ?? ''}
      onBlur={(event) => {
        onChange(event.currentTarget.value.trim() || null);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          onChange(event.currentTarget.value.trim() || null);
        }
      }}
    />
  );
}

function Decision({ estate, row }: { estate: string; row: AuditRow }) {
  const { t } = useTranslation(['audit', 'chain']);
  const timeText = useAbsoluteTime();
  return (
    <>
      <Section title={t('provenance')}>
        <Facts>
          <Fact label={t('who')}>{authorText(row.author)}</Fact>
          <Fact label={t('when')}>{timeText(Date.parse(row.decided_at))}</Fact>
          <Fact label={t('where')}>{originText(t, row)}</Fact>
          {row.user_agent !== '' && <Fact label={t('client')}>{row.user_agent}</Fact>}
          {row.request_id !== '' && <Fact label={t('request')}>{row.request_id}</Fact>}
          <Fact label={t('chain:hash')}>
            <CopyText value={row.digest} what="hash" />
          </Fact>
        </Facts>
      </Section>
      {row.revision !== null && <Revert estate={estate} revision={row.revision} />}
      <Section title={t('diff', { count: row.object_count })}>
        {row.objects.map((object) => (
          <div
            key={`${object.instance}\n${object.database ?? ''}\n${object.kind}\n${object.name}`}
            className={classes.object}
          >
            <p>
              <strong>{object.name}</strong>{' '}
              <span className={classes.place}>{[kindText(object.kind), objectPlace(object)].join(', ')}</span>
            </p>
            <dl className={classes.fields}>
              {object.fields.map((field) => (
                <div key={field.name}>
                  <dt>{fieldText(field.name)}</dt>
                  <dd>
                    <del>{valueText(field.before)}</del> <ins>{valueText(field.after)}</ins>
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
        {row.object_count > row.objects.length && (
          <p className={classes.place}>{t('rest', { count: row.object_count - row.objects.length })}</p>
        )}
      </Section>
    </>
  );
}

function Revert({ estate, revision }: { estate: string; revision: number }) {
  const { t } = useTranslation('audit');
  const missing = useMissingRight('edit');
  const revert = useRevert(estate);
  return (
    <Section title={t('takeBack')}>
      <p className={classes.place}>{t('takeBackAbout', { revision })}</p>
      <GuardedButton
        barred={missing}
        size="xs"
        variant="default"
        loading={revert.isPending}
        onClick={() => {
          revert.mutate(revision);
        }}
      >
        {t('revert', { revision })}
      </GuardedButton>
    </Section>
  );
}
