import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { closedKinds, conversationCounts, states } from '@/live/grid/conversations';
import { conversationStates, stateMeaning } from '@/live/states';
import type { TopicState } from '@/live/streams';
import type { Verdict } from '@/theme/tokens';

import type { Facet } from '../../frame/facets';

/** States that ask for a look. */
const verdicts: Partial<Record<string, Verdict>> = { DI: 'delayed', ER: 'error', overdue: 'delayed', leaked: 'lost' };

/**
 * The states with how many are in each, and closed ones by what they wait for: what is by design, apart from what is a
 * leak.
 */
export function useConversationFacets(topic: TopicState | undefined, database: string | null): readonly Facet[] {
  const { t } = useTranslation('views');
  const facts = topic?.table.facts;
  return useMemo(() => {
    const counts = conversationCounts(facts ?? {}, database);
    return [
      {
        name: 'state',
        label: t('conversations.states'),
        isMany: true,
        excludes: ['closed'],
        choices: states
          .filter((state) => state !== 'CD')
          .map((state) => ({
            value: state,
            label: state === 'DI' ? t('conversations.notEnded') : `${conversationStates[state]} · ${state}`,
            hint: state === 'DI' ? t('conversations.advice.DI') : stateMeaning(state),
            count: counts.of(state),
            verdict: verdicts[state],
          })),
      },
      {
        name: 'closed',
        label: t('conversations.closedLabel'),
        isMany: false,
        excludes: ['state'],
        choices: closedKinds.map((kind) => ({
          value: kind,
          label: t(`conversations.closed.${kind}`),
          hint: t(`conversations.closedMeaning.${kind}`),
          count: counts.of(kind),
          verdict: verdicts[kind],
        })),
      },
    ];
  }, [facts, database, t]);
}
