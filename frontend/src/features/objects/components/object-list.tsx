import { Button, CloseButton, Menu, NativeSelect, Switch, TextInput } from '@mantine/core';
import { IconColumns3, IconDownload, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Count, ListPart, PageProblem, ToolBar } from '@/components/ui/page';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useMissingRight } from '@/hooks/use-rights';
import { useParameter, useTypedParameter } from '@/hooks/use-view-state';
import { asProblem } from '@/lib/errors';

import { objectListQuery } from '../api/objects-read';
import { kinds, type FieldName, type KindName } from '../kinds';
import { keyOf } from '../object-name';
import { useObjectList } from '../use-object-list';
import { useSelectedRows } from '../use-selected-rows';
import { BulkBar } from './bulk-bar';
import { ObjectTable } from './object-table';
import classes from './objects.module.css';
import { Pager } from './pager';

/** The objects of a kind: filtered, sorted and paged by the server; the address bar holds what is asked for. */
export function ObjectList({ kind, onNew }: { kind: KindName; onNew: () => void }) {
  const { t } = useTranslation('objects');
  const { name: estate } = useEstatePage();
  const list = useObjectList();
  const [chosen, choose] = useParameter('object');
  const [hidden, hide] = useState<ReadonlySet<FieldName>>(new Set());
  const { data, error, refetch, isPlaceholderData } = useQuery(objectListQuery(estate, kind, list.asked));
  const selected = useSelectedRows(`${kind}?${JSON.stringify(list.filter)}`);
  const missing = useMissingRight('edit');
  if (error !== null && data === undefined) {
    return <PageProblem problem={asProblem(error)} onRetry={() => void refetch()} />;
  }
  const download = new URLSearchParams(
    Object.entries({ ...list.asked, format: 'csv' })
      .filter(([key]) => key !== 'page' && key !== 'rows')
      .map(([key, value]) => [key, String(value)]),
  );
  return (
    <ListPart
      bar={
        <FilterBar kind={kind} list={list}>
          <Count>{data === undefined ? '' : t('total', { count: data.total })}</Count>
          <ColumnChooser kind={kind} hidden={hidden} onHide={hide} />
          <Button
            component="a"
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
            href={`/api/v1/estates/${encodeURIComponent(estate)}/objects/${kind}?${download.toString()}`}
          >
            {t('csv')}
          </Button>
          {kinds[kind].canCreate && (
            <GuardedButton barred={missing} size="xs" leftSection={<IconPlus size={14} />} onClick={onNew}>
              {t('new', { kind: t(`kinds.${kind}.one`) })}
            </GuardedButton>
          )}
        </FilterBar>
      }
      foot={
        <>
          <BulkBar kind={kind} selected={selected} total={data?.total ?? 0} filter={list.filter} draft={list.draft} />
          {data !== undefined && data.pages > 1 && <Pager page={data.page} pages={data.pages} onPage={list.toPage} />}
        </>
      }
    >
      <div className={classes.frame}>
        <ObjectTable
          kind={kind}
          rows={data?.items ?? null}
          hidden={hidden}
          list={list}
          selected={selected}
          chosen={chosen}
          isStale={isPlaceholderData}
          onChoose={(row) => {
            choose(keyOf(row));
          }}
        />
        {data?.total === 0 && (
          <EmptyState
            action={
              list.isFiltered ? (
                <Button variant="default" size="xs" onClick={list.clear}>
                  {t('clear')}
                </Button>
              ) : undefined
            }
          >
            {list.isFiltered ? t('noMatch') : t(`kinds.${kind}.what`)}
          </EmptyState>
        )}
      </div>
    </ListPart>
  );
}

type List = ReturnType<typeof useObjectList>;

function FilterBar({ kind, list, children }: { kind: KindName; list: List; children: React.ReactNode }) {
  const { t } = useTranslation('objects');
  const { filters, states = [], home } = kinds[kind];
  const estate = useEstatePage();
  const instances = estate.instances.map(({ name }) => name);
  const databases =
    estate.instances.find(({ name }) => name === list.filter.instance)?.databases.map(({ name }) => name) ?? [];
  const yesNo = (yes: string, no: string) => [
    { value: 'true', label: yes },
    { value: 'false', label: no },
  ];
  return (
    <ToolBar isSearch key={kind}>
      <TypedFilter name="text" label={t('filterText')} />
      {home !== 'estate' && <ChosenFilter name="instance" label={t('instance')} list={list} options={instances} />}
      {home === 'database' && databases.length > 0 && (
        <ChosenFilter name="database" label={t('database')} list={list} options={databases} />
      )}
      {filters.includes('service') && <TypedFilter name="service" label={t('filterService')} />}
      {filters.includes('target') && <TypedFilter name="target" label={t('filterTarget')} />}
      {filters.includes('state') && <ChosenFilter name="state" label={t('filterState')} list={list} options={states} />}
      {filters.includes('on') && (
        <ChosenFilter name="on" label={t('filterOn')} list={list} options={yesNo(t('on'), t('off'))} />
      )}
      {filters.includes('expired') && (
        <ChosenFilter
          name="expired"
          label={t('filterExpired')}
          list={list}
          options={yesNo(t('expired'), t('notExpired'))}
        />
      )}
      {list.draft !== null && (
        <Switch
          size="xs"
          label={t('changedOnly')}
          checked={list.filter.changed === true}
          onChange={(event) => {
            list.setFilter('changed', event.currentTarget.checked ? 'true' : null);
          }}
        />
      )}
      {list.isFiltered && <CloseButton size="sm" aria-label={t('clear')} onClick={list.clear} />}
      {children}
    </ToolBar>
  );
}

function TypedFilter({ name, label }: { name: 'text' | 'service' | 'target'; label: string }) {
  const [text, setText] = useTypedParameter(name);
  const [kept] = useParameter(name);
  return (
    <TextInput
      size="xs"
      aria-label={label}
      placeholder={label}
      value={text === '' && kept === null ? '' : text}
      onChange={(event) => {
        setText(event.currentTarget.value);
      }}
    />
  );
}

type Option = string | { value: string; label: string };

function ChosenFilter({
  name,
  label,
  list,
  options,
}: {
  name: 'instance' | 'database' | 'state' | 'on' | 'expired';
  label: string;
  list: List;
  options: readonly Option[];
}) {
  const { t } = useTranslation('objects');
  const value = list.filter[name];
  return (
    <NativeSelect
      size="xs"
      aria-label={label}
      value={value === undefined ? '' : String(value)}
      data={[{ value: '', label: t('choice', { label, value: t('any') }) }, ...options]}
      onChange={(event) => {
        list.setFilter(name, event.currentTarget.value || null);
      }}
    />
  );
}

function ColumnChooser({
  kind,
  hidden,
  onHide,
}: {
  kind: KindName;
  hidden: ReadonlySet<FieldName>;
  onHide: (hidden: ReadonlySet<FieldName>) => void;
}) {
  const { t } = useTranslation('objects');
  if (kinds[kind].columns.length === 0) {
    return null;
  }
  return (
    <Menu closeOnItemClick={false} position="bottom-end">
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconColumns3 size={14} />}>
          {t('columns')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {kinds[kind].columns.map(({ field }) => (
          <Menu.Item
            key={field}
            role="menuitemcheckbox"
            aria-checked={!hidden.has(field)}
            leftSection={hidden.has(field) ? <span className={classes.box} /> : <span className={classes.box}>✓</span>}
            onClick={() => {
              onHide(new Set(hidden.has(field) ? [...hidden].filter((one) => one !== field) : [...hidden, field]));
            }}
          >
            {t(`fields.${field}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
