import { Button } from '@mantine/core';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { EmptyState } from '@/components/ui/empty-state';
import type { InstanceFacts, TopicParams } from '@/contracts/live-messages';
import { useEstatePage } from '@/hooks/use-estate-page';
import { pairKey, paired } from '@/live/grid/pairs';
import type { GridRow, Read } from '@/live/grid/rows';

import { LiveTable } from '../../frame/live-table';
import { useLiveList, type Known } from '../../frame/use-live-list';
import { useViewQuery } from '../../frame/use-view-query';
import { placeOf, textOf } from '../common';
import { ConversationDetails } from './details';
import { useConversationFacets } from './facets';
import { HalfRow } from './half-row';
import { useConversationLooks } from './looks';
import { useInstancesOf } from './use-instances-of';

/** Both sides of conversations: sys.conversation_endpoints. */
export default function ConversationsView() {
  const { t } = useTranslation('views');
  const estate = useEstatePage();
  const query = useViewQuery();
  const chosen = query.chosen('state').join(' ');
  const closed = query.chosen('closed')[0] ?? null;
  const params = useMemo(
    (): TopicParams => ({
      ...(chosen === '' ? {} : { states: chosen.split(' ') }),
      ...(closed === null ? {} : { closed }),
    }),
    [chosen, closed],
  );
  const isWhole = chosen === '' && closed === null && query.text === '' && query.instance === null;
  const instancesOf = useInstancesOf();
  const order = useCallback(
    (rows: readonly GridRow[], read: Read, { sources, facts }: Known) => {
      const isComplete = isWhole && Object.values(facts).every((fact) => (fact as InstanceFacts).has_more !== true);
      return paired(rows, read, { instancesOf, sources, isComplete });
    },
    [instancesOf, isWhole],
  );
  const list = useLiveList({ topic: 'conversations', params, findsText: true, findsDatabase: true, order });
  const facets = useConversationFacets(list.topic, query.database);
  const looks = useConversationLooks();
  return (
    <LiveTable
      label={t('views.conversations')}
      list={list}
      looks={looks}
      facets={facets}
      hasDatabases
      groupOf={query.sorting === null ? pairKey : undefined}
      half={(row) => row.half !== undefined && <HalfRow half={row.half} />}
      empty={
        <EmptyState
          action={
            <Button
              component={Link}
              size="xs"
              variant="default"
              to={`/estates/${encodeURIComponent(estate.name)}/traffic`}
            >
              {t('conversations.start')}
            </Button>
          }
        >
          {t('conversations.empty')}
        </EmptyState>
      }
      drawer={(row, read) => ({
        kind: read(row, 'is_initiator') ? t('conversations.initiator') : t('conversations.target'),
        name: textOf(row, read, 'service_name'),
        place: placeOf(row, read),
        details: <ConversationDetails row={row} read={read} />,
      })}
    />
  );
}
