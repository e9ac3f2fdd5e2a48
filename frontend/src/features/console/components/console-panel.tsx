import { useTranslation } from 'react-i18next';

import { Term } from '@/components/glossary/term';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useFollowed } from '@/hooks/use-topics';
import { useSetParameters, useParameter } from '@/hooks/use-view-state';

import { useConversationsStore } from '../conversations-store';
import { BeginDialog } from './begin-dialog';
import classes from './console-panel.module.css';
import { ConversationList } from './conversation-list';
import { QueuePanel } from './queue-panel';
import { SendForm } from './send-form';

/** Begin a dialog, send on it, and look at what arrives: the three things one does by hand. */
export function ConsolePanel() {
  const { t } = useTranslation('console');
  const estate = useEstatePage();
  useFollowed(estate.name, ['conversations', 'transmissions', 'queues']);
  const own = useConversationsStore((store) => store.own[estate.name]) ?? [];
  const [handle, setHandle] = useParameter('conversation');
  const setParameters = useSetParameters();
  const chosen = own.find((one) => one.handle === handle) ?? own[0] ?? null;
  return (
    <div className={classes.console}>
      <section className={classes.column} aria-label={t('begin.heading')}>
        <h2>
          <Term name="dialog">{t('begin.heading')}</Term>
        </h2>
        <BeginDialog
          estate={estate}
          onBegun={(conversation) => {
            setParameters({ conversation: conversation.handle });
          }}
        />
      </section>
      <section className={classes.column} aria-label={t('conversations.label')}>
        <h2>
          <Term name="conversation">{t('conversations.heading')}</Term>
        </h2>
        <ConversationList conversations={own} chosen={chosen?.handle ?? null} onChoose={setHandle} />
        {chosen !== null && <SendForm key={chosen.handle} estate={estate} conversation={chosen} />}
      </section>
      <section className={classes.column} aria-label={t('queue.heading')}>
        <h2>{t('queue.heading')}</h2>
        <QueuePanel estate={estate} expected={chosen?.toService ?? null} />
      </section>
    </div>
  );
}
