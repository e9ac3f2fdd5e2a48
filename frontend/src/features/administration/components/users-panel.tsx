import { Button, Pagination, Skeleton, TextInput } from '@mantine/core';
import { IconSearch, IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { DataTable, type Column } from '@/components/ui/data-table';
import { EmptyState } from '@/components/ui/empty-state';
import { Count, ListFoot, ListPart, PageProblem, Split, ToolBar } from '@/components/ui/page';
import type { User } from '@/contracts/api';
import { useParameter, useSetParameters } from '@/hooks/use-view-state';
import { asProblem } from '@/lib/errors';
import { absoluteTime } from '@/lib/time';

import { usersQuery } from '../api/users';
import { NewUser } from './new-user';
import { UserDetails } from './user-details';

const rowsOfPage = 100;
/** In the address: the form of a new user; a name cannot have this sign. */
const fresh = '+new';

/** Who may come in and do what: the list, and beside it one account. */
export function UsersPanel() {
  const { t } = useTranslation('administration');
  const [search] = useParameter('search');
  const [page] = useParameter('page');
  const [chosen, choose] = useParameter('user');
  const set = useSetParameters();
  const asked = { ...(search === null ? {} : { search }), page: Math.max(1, Number(page) || 1), rows: rowsOfPage };
  const { data, error, isPlaceholderData, refetch } = useQuery(usersQuery(asked));
  const columns = useColumns();

  if (data === undefined) {
    return error === null ? (
      <Skeleton height="100%" radius={0} role="progressbar" aria-label={t('loading')} />
    ) : (
      <PageProblem problem={asProblem(error)} onRetry={() => void refetch()} />
    );
  }
  const user = data.users.find(({ username }) => username === chosen);
  const close = () => {
    choose(null);
  };
  return (
    <Split
      label={chosen === fresh ? t('new.button') : t('about', { name: chosen ?? '' })}
      details={
        chosen === fresh ? (
          <NewUser onClose={close} onMade={choose} />
        ) : user !== undefined ? (
          <UserDetails key={user.username} user={user} onClose={close} />
        ) : null
      }
    >
      <ListPart
        bar={
          <ToolBar>
            <Search
              key={search}
              value={search ?? ''}
              onChange={(text) => {
                set({ search: text, page: null, user: null });
              }}
            />
            <Count>{t('count', { count: data.total })}</Count>
            <Button
              size="xs"
              leftSection={<IconUserPlus size={15} />}
              onClick={() => {
                choose(fresh);
              }}
            >
              {t('new.button')}
            </Button>
          </ToolBar>
        }
        foot={
          data.total > rowsOfPage && (
            <ListFoot>
              <Pagination
                size="sm"
                value={asked.page}
                total={Math.ceil(data.total / rowsOfPage)}
                onChange={(next) => {
                  set({ page: String(next), user: null });
                }}
              />
            </ListFoot>
          )
        }
      >
        <DataTable
          label={t('users')}
          columns={columns}
          rows={data.users}
          keyOf={({ username }) => username}
          rowHeight={36}
          isStale={isPlaceholderData}
          selected={chosen}
          onSelect={({ username }) => {
            choose(username === chosen ? null : username);
          }}
          empty={<EmptyState>{t('none')}</EmptyState>}
        />
      </ListPart>
    </Split>
  );
}

function useColumns(): readonly Column<User>[] {
  const { t } = useTranslation('administration');
  return [
    { id: 'name', title: t('name'), cell: ({ username }) => <strong>{username}</strong> },
    { id: 'role', title: t('role'), width: 130, cell: ({ role }) => t(`roles.${role}`) },
    {
      id: 'payloads',
      title: t('payloads'),
      width: 170,
      cell: ({ reads_payloads: reads }) => (reads ? <Badge>{t('reads')}</Badge> : t('withheld')),
    },
    {
      id: 'account',
      title: t('account'),
      width: 150,
      cell: ({ is_active: isOn }) =>
        isOn ? <Badge verdict="delivered">{t('on')}</Badge> : <Badge verdict="unknown">{t('off')}</Badge>,
    },
    {
      id: 'last',
      title: t('lastLogin'),
      isTime: true,
      width: 240,
      cell: ({ last_login: at }) => (at === null ? t('never') : absoluteTime(Date.parse(at))),
    },
  ];
}

function Search({ value, onChange }: { value: string; onChange: (text: string | null) => void }) {
  const { t } = useTranslation('administration');
  return (
    <TextInput
      size="xs"
      w={240}
      aria-label={t('search')}
      placeholder={t('search')}
      leftSection={<IconSearch size={14} />}
      defaultValue={value}
      onBlur={(event) => {
        const text = event.currentTarget.value.trim();
        if (text !== value) {
          onChange(text || null);
        }
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          onChange(event.currentTarget.value.trim() || null);
        }
      }}
    />
  );
}
