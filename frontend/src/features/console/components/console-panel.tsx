import { useEstatePage } from '@/hooks/use-estate-page';
import { useSetParameters, useParameter } from '@/hooks/use-view-state';

import { useConversationsStore } from '../conversations-store';
import { BeginDialog } from './begin-dialog';
import classes from './console-panel.module.css';
import { ConversationList } from './conversation-list';
import { QueuePanel } from './queue-panel';
import { SendForm } from './send-form';

/** Begin a dialog, send on it, and look at what arrives: the three things one does by hand. */
export function ConsolePanel() {
  const estate = useEstatePage();
  const own = useConversationsStore((store) => store.own[estate.name]) ?? [];
  const [handle, setHandle] = useParameter('conversation');
  const setParameters = useSetParameters();
  const chosen = own.find((one) => one.handle === handle) ?? own[0] ?? null;
  return (
    <div className={classes.console}>
      <section className={classes.column} aria-label="Begin a dialog">
        <h2>Begin a dialog</h2>
        <BeginDialog
          estate={estate}
          onBegun={(conversation) => {
            setParameters({ conversation: conversation.handle });
          }}
        />
      </section>
      <section className={classes.column} aria-label="Conversations and sending">
        <h2>Conversations begun here</h2>
        <ConversationList conversations={own} chosen={chosen?.handle ?? null} onChoose={setHandle} />
        {chosen !== null && <SendForm key={chosen.handle} estate={estate} conversation={chosen} />}
      </section>
      <section className={classes.column} aria-label="Queues">
        <h2>Queues</h2>
        <QueuePanel estate={estate} expected={chosen?.toService ?? null} />
      </section>
    </div>
  );
}
