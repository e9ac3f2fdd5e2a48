import { VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';

import type { LiveActions } from '@/features/live-view/actions';
import { LiveViews } from '@/features/live-view/components/live-views';
import { viewNames } from '@/features/live-view/views/registry';
import { ConnectionActions } from '@/features/operations/components/connection-actions';
import { ConversationActions, ConversationsSelection } from '@/features/operations/components/conversation-actions';
import { MirrorActions } from '@/features/operations/components/mirror-actions';
import { QueueActions } from '@/features/operations/components/queue-actions';
import { RetryGroupButton } from '@/features/operations/components/retry-button';
import { TransmissionActions } from '@/features/operations/components/transmission-actions';
import { useSandbox } from '@/hooks/use-sandbox';

import NotFoundPage from './not-found-page';

/** What each view offers to do with what it lists. */
const actions: LiveActions = {
  conversations: { row: ConversationActions, selection: ConversationsSelection },
  'transmission-queues': { row: TransmissionActions, reason: RetryGroupButton },
  mirrors: { row: MirrorActions },
  queues: { row: QueueActions },
  connections: { row: ConnectionActions },
};

/** What a sandbox lets operators do: its partners fail over, and its endpoints stop, by faults and T-SQL. */
const sandboxActions: LiveActions = {
  conversations: { row: ConversationActions, selection: ConversationsSelection },
  'transmission-queues': { row: TransmissionActions, reason: RetryGroupButton },
  queues: { row: QueueActions },
};

/** The live views. */
export default function LivePage() {
  const { t } = useTranslation('shell');
  const { view: text } = useParams();
  const sandbox = useSandbox();
  const view = viewNames.find((name) => name === text);
  if (view === undefined) {
    return <NotFoundPage />;
  }
  return (
    <>
      <VisuallyHidden component="h1">{t('navigation.live')}</VisuallyHidden>
      <LiveViews view={view} actions={sandbox === null ? actions : sandboxActions} />
    </>
  );
}
