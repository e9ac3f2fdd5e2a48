import { Checkbox, Pagination, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { Count, ListFoot, ListPart, Split, ToolBar } from '@/components/ui/page';
import plain from '@/components/ui/plain-table.module.css';
import type { Assertion, AssertionPage } from '@/contracts/api';
import { useParameter, useSetParameters, useTypedParameter } from '@/hooks/use-view-state';

import { states, useAssertionsAsked } from '../use-assertions';
import { AssertionDetails } from './assertion-details';
import classes from './assertions.module.css';
import { BulkBar } from './bulk-bar';
import { HistoryMarks } from './history-marks';
import { StateSign } from './state-sign';

/** Assertions with their last result; those that fail stand first. */
export function AssertionList({ estate, found }: { estate: string; found: AssertionPage }) {
  const { t } = useTranslation('assertions');
  const [chosen, setChosen] = useParameter('assertion');
  const [, setPage] = useParameter('page');
  const { rows } = found;
  const [picked, pick] = usePicked();
  const row = rows.find(({ id }) => String(id) === chosen);
  const isAll = rows.length > 0 && rows.every(({ id }) => picked.has(id));
  return (
    <Split
      label={t('details.label')}
      details={
        row === undefined ? null : (
          <AssertionDetails
            key={row.id}
            estate={estate}
            assertion={row}
            onClose={() => {
              setChosen(null);
            }}
          />
        )
      }
    >
      <ListPart
        bar={
          <>
            <Filters found={found} />
            <BulkBar
              estate={estate}
              ids={[...picked]}
              onDone={() => {
                pick(new Set());
              }}
            />
          </>
        }
        foot={
          found.pages > 1 && (
            <ListFoot>
              <Pagination
                size="sm"
                total={found.pages}
                value={found.page}
                onChange={(page) => {
                  setPage(page === 1 ? null : String(page));
                }}
                getControlProps={(control) => ({ 'aria-label': t(`pages.${control}`) })}
              />
            </ListFoot>
          )
        }
      >
        <div className={classes.scroll}>
          <table className={`${plain.table ?? ''} ${classes.table ?? ''}`}>
            <caption>{t('heading')}</caption>
            <thead>
              <tr>
                <th scope="col" className={classes.tickHead}>
                  <Checkbox
                    size="xs"
                    aria-label={t('pickAll')}
                    checked={isAll}
                    onChange={() => {
                      pick(new Set(isAll ? [] : rows.map(({ id }) => id)));
                    }}
                  />
                </th>
                <th scope="col">{t('head.name')}</th>
                <th scope="col">{t('head.state')}</th>
                <th scope="col">{t('head.why')}</th>
                <th scope="col">{t('head.history')}</th>
                <th scope="col">{t('head.tags')}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((each) => (
                <Line
                  key={each.id}
                  row={each}
                  isPicked={picked.has(each.id)}
                  isShown={each.id === row?.id}
                  onPick={() => {
                    pick(toggled(picked, each.id));
                  }}
                  onShow={() => {
                    setChosen(String(each.id));
                  }}
                />
              ))}
            </tbody>
          </table>
          {rows.length === 0 && <p className={classes.none}>{t('noneMatch')}</p>}
        </div>
      </ListPart>
    </Split>
  );
}

const none: ReadonlySet<number> = new Set();

/** Which are picked: of those on view alone. Another search, filter or page begins with none. */
function usePicked(): [ReadonlySet<number>, (ids: ReadonlySet<number>) => void] {
  const { search, state, tag, page } = useAssertionsAsked();
  const asked = JSON.stringify([search, state, tag, page]);
  const [picks, setPicks] = useState({ asked, ids: none });
  return [
    picks.asked === asked ? picks.ids : none,
    (ids) => {
      setPicks({ asked, ids });
    },
  ];
}

function toggled(picked: ReadonlySet<number>, id: number): Set<number> {
  const next = new Set(picked);
  if (!next.delete(id)) {
    next.add(id);
  }
  return next;
}

type LineProps = { row: Assertion; isPicked: boolean; isShown: boolean; onPick: () => void; onShow: () => void };

function Line({ row, isPicked, isShown, onPick, onShow }: LineProps) {
  const { t } = useTranslation('assertions');
  return (
    <tr data-shown={isShown}>
      <td>
        <Checkbox size="xs" aria-label={t('pick', { name: row.name })} checked={isPicked} onChange={onPick} />
      </td>
      <th scope="row">
        <button type="button" className={classes.name} onClick={onShow}>
          {row.name}
        </button>
      </th>
      <td>
        <span className={classes.signs}>
          <StateSign state={row.state} />
          {row.is_flaky && <Badge verdict="delayed">{t('flaky')}</Badge>}
        </span>
      </td>
      <td className={classes.why}>{whyOf(row) || <span className={classes.quiet}>{row.expected_text}</span>}</td>
      <td>
        <HistoryMarks history={row.history} />
      </td>
      <td className={classes.quiet}>{row.tags.join(', ')}</td>
    </tr>
  );
}

/** The sentence why an assertion fails; empty when it does not. */
export function whyOf({ last }: Assertion): string {
  return last === null || last.passed ? '' : last.why || last.actual_text;
}

function Filters({ found: { counts, tags, rows } }: { found: AssertionPage }) {
  const { t } = useTranslation('assertions');
  const [search, setSearch] = useTypedParameter('search');
  const { state, tag } = useAssertionsAsked();
  const set = useSetParameters();
  const numbers = {
    failed: counts.failed,
    passed: counts.passed,
    'never-run': counts.never_run,
    disabled: counts.disabled,
  };
  return (
    <ToolBar isSearch>
      <TextInput
        size="xs"
        aria-label={t('filter.search')}
        placeholder={t('filter.search')}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
        }}
      />
      <Select
        size="xs"
        aria-label={t('filter.state')}
        placeholder={t('filter.anyState')}
        clearable
        value={state}
        data={states.map((value) => ({ value, label: `${t(`state.${value}`)} (${numbers[value]})` }))}
        onChange={(value) => {
          set({ state: value, page: null });
        }}
      />
      {tags.length > 0 && (
        <Select
          size="xs"
          aria-label={t('filter.tag')}
          placeholder={t('filter.anyTag')}
          clearable
          searchable
          value={tag}
          data={tags}
          onChange={(value) => {
            set({ tag: value, page: null });
          }}
        />
      )}
      <Count>{t('filter.count', { shown: rows.length, all: counts.all, failed: counts.failed })}</Count>
    </ToolBar>
  );
}
