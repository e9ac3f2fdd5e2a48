import { Group, Pagination, Select, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { ChangeSet } from '@/contracts/api';
import { useParameter, useSetParameters, useTypedParameter } from '@/hooks/use-view-state';
import { kindText } from '@/topology/object-words';

import { effects } from '../use-objects-asked';
import classes from './change-sets.module.css';

/** Narrows a long list of objects; a short one needs no filter. */
export function ObjectFilter({ changeSet }: { changeSet: ChangeSet }) {
  const { t } = useTranslation('review');
  const set = useSetParameters();
  const [kind] = useParameter('kind');
  const [only] = useParameter('only');
  const [effect] = useParameter('effect');
  const [name, setName] = useTypedParameter('name');
  const { object_counts: counts, object_count: all, matching_count: matching } = changeSet;
  const isNarrowed = [kind, only, effect, name].some((value) => value !== null && value !== '');
  if (all <= 10 && !isNarrowed) {
    return null;
  }
  const filter = (values: Record<string, string | null>) => {
    set({ ...values, page: null });
  };
  return (
    <Group gap={8} className={classes.filter}>
      <TextInput
        size="xs"
        w={220}
        aria-label={t('filter.name')}
        placeholder={t('filter.name')}
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value);
        }}
      />
      <Select
        size="xs"
        w={190}
        clearable
        aria-label={t('filter.effect')}
        placeholder={t('filter.allEffects')}
        data={effects.map((value) => ({ value, label: t(`effect.${value}`, { count: counts[value] }) }))}
        value={effect}
        onChange={(value) => {
          filter({ effect: value });
        }}
      />
      <Select
        size="xs"
        w={190}
        clearable
        aria-label={t('filter.kind')}
        placeholder={t('filter.allKinds')}
        data={changeSet.object_kinds.map((value) => ({ value, label: kindText(value) }))}
        value={kind}
        onChange={(value) => {
          filter({ kind: value });
        }}
      />
      <Select
        size="xs"
        w={170}
        clearable
        searchable
        aria-label={t('filter.instance')}
        placeholder={t('filter.allInstances')}
        data={changeSet.object_instances}
        value={only}
        onChange={(value) => {
          filter({ only: value });
        }}
      />
      <span className={classes.place} role="status">
        {matching === all ? t('filter.all', { count: all }) : t('filter.some', { count: matching, all })}
      </span>
    </Group>
  );
}

/** From page to page; nothing where there is one. */
export function Pages({ page, pages }: { page: number; pages: number }) {
  const { t } = useTranslation('review');
  const [, setPage] = useParameter('page');
  if (pages <= 1) {
    return null;
  }
  return (
    <Pagination
      mt="md"
      size="sm"
      total={pages}
      value={page}
      onChange={(chosen) => {
        setPage(chosen === 1 ? null : String(chosen));
      }}
      getControlProps={(control) => ({ 'aria-label': t(`pages.${control}`) })}
    />
  );
}
