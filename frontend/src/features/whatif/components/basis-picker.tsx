import { CloseButton, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Estate } from '@/contracts/api';
import { useSandbox } from '@/hooks/use-sandbox';
import { changeSetsQuery } from '@/lib/api/change-sets-list';
import { failuresQuery } from '@/lib/api/possible-failures';
import { revisionsQuery } from '@/lib/api/revisions-list';
import { faultKinds, faultText, faultWords, formatFaults, toggledFault, type Fault } from '@/topology/faults';

import { useAsk, type Asked } from '../use-question';
import classes from './what-if-panel.module.css';

/** Of which state is asked, at which instant, and what is supposed to fail. */
export function BasisPicker({ estate, asked }: { estate: Estate; asked: Asked }) {
  const { t } = useTranslation('trace');
  const ask = useAsk();
  const sandbox = useSandbox();
  return (
    <>
      {/* A sandbox has its present alone. */}
      {sandbox === null && <StateSelect estate={estate} asked={asked} />}
      <TextInput
        size="xs"
        className={classes.instant ?? ''}
        type="datetime-local"
        step={1}
        label={t('ask.at')}
        value={asked.at === null ? '' : asked.at.slice(0, 19)}
        onChange={({ currentTarget: { value } }) => {
          const at = Date.parse(`${value}Z`);
          ask({ at: Number.isNaN(at) ? null : new Date(at).toISOString().replace('.000Z', 'Z') }, 'run');
        }}
        rightSection={
          asked.at !== null && (
            <CloseButton
              size="sm"
              aria-label={t('ask.now')}
              onClick={() => {
                ask({ at: null });
              }}
            />
          )
        }
      />
      <FaultSelect estate={estate} asked={asked} />
      {asked.ignored.length > 0 && (
        <p role="alert" className={classes.unreadable}>
          {t('ask.ignored', { texts: asked.ignored.join(', ') })}
        </p>
      )}
      {asked.unreadable.length > 0 && (
        <p role="alert" className={classes.unreadable}>
          {t('ask.unreadable', { count: asked.unreadable.length, texts: asked.unreadable.join(', ') })}
        </p>
      )}
    </>
  );
}

const live = 'live';

function StateSelect({ estate, asked: { draft, revision } }: { estate: Estate; asked: Asked }) {
  const { t } = useTranslation('trace');
  const ask = useAsk();
  const { data: drafts } = useQuery(changeSetsQuery(estate.name, 'open'));
  const { data: revisions } = useQuery(revisionsQuery(estate.name));
  const past = (revisions?.items ?? []).map(({ number }) => number).filter((number) => number !== estate.revision);
  const known = revision === null || past.includes(revision) ? past : [revision, ...past];
  const open = (drafts?.items ?? []).map(({ number, title }) => ({
    value: `draft ${number}`,
    label: t('ask.draft', { number, title: title === '' ? 'none' : title }),
  }));
  return (
    <Select
      size="xs"
      className={classes.state ?? ''}
      label={t('ask.basis')}
      searchable
      allowDeselect={false}
      data={[
        { value: live, label: t('ask.basisNow') },
        ...(open.length > 0 ? [{ group: t('ask.basisDrafts'), items: open }] : []),
        ...(known.length > 0
          ? [
              {
                group: t('ask.basisRevisions'),
                items: known.map((number) => ({
                  value: `revision ${number}`,
                  label: t('ask.revision', { revision: number }),
                })),
              },
            ]
          : []),
      ]}
      value={draft !== null ? `draft ${draft}` : revision !== null ? `revision ${revision}` : live}
      onChange={(value) => {
        const [kind, number = null] = value?.split(' ') ?? [];
        ask({ draft: kind === 'draft' ? number : null, revision: kind === 'revision' ? number : null });
      }}
    />
  );
}

/** Chips of what is supposed, and what else could be. */
function FaultSelect({ estate, asked: { draft, revision, faults } }: { estate: Estate; asked: Asked }) {
  const { t } = useTranslation(['trace', 'faults']);
  const ask = useAsk();
  const state = `${estate.state} ${estate.change_set?.sequence ?? ''}`;
  const { data } = useQuery(failuresQuery(estate.name, { draft, revision }, state));
  const [sought, setSought] = useState('');
  const choose = (fault: Fault) => {
    ask({ faults: formatFaults(toggledFault(faults, fault)) || null });
  };
  // An estate can have ten thousand of them, and each is put into words.
  const possible = useMemo(() => {
    const named = (data ?? []).map((fault: Fault) => ({ fault, value: faultText(fault), label: faultWords(fault) }));
    return faultKinds.map((kind) => ({
      group: t(`faults:kind.${kind}`),
      items: named.filter(({ fault }) => fault.kind === kind),
    }));
  }, [data, t]);
  const groups = useMemo(() => {
    const supposed = new Set(faults.map(faultText));
    return possible.map(({ group, items }) => ({
      group,
      items: items.filter(({ value }) => !supposed.has(value)).map(({ value, label }) => ({ value, label })),
    }));
  }, [possible, faults]);
  return (
    <div className={classes.faults}>
      <Select
        size="xs"
        label={t('ask.fault')}
        placeholder={t('ask.faultChoose')}
        nothingFoundMessage={t('ask.faultNone')}
        searchable
        searchValue={sought}
        onSearchChange={setSought}
        limit={60}
        data={groups}
        value={null}
        onChange={(key) => {
          const found = possible.flatMap(({ items }) => items).find(({ value }) => value === key);
          if (found !== undefined) {
            choose(found.fault);
          }
          setSought('');
        }}
      />
      {faults.length > 0 && (
        <ul className={classes.chips} aria-label={t('ask.fault')}>
          {faults.map((fault) => (
            <li key={faultText(fault)}>
              {faultWords(fault)}
              <CloseButton
                size="xs"
                aria-label={t('ask.faultAway', { fault: faultWords(fault) })}
                onClick={() => {
                  choose(fault);
                }}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
