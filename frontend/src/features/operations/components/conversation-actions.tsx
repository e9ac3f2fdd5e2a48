import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useMissingRight } from '@/hooks/use-rights';
import type { GridRow, Read } from '@/live/grid/rows';

import { conversationOf, type ConversationPath, type RowProps } from '../row-paths';
import classes from './actions.module.css';
import { EndConversationDialog } from './end-conversation-dialog';

/** What one request ends. */
const endedMax = 200;

/** What can be done about the side of a conversation. */
export function ConversationActions({ row, read }: RowProps) {
  return (
    <div className={classes.bar}>
      <End conversations={[conversationOf(row, read)]} />
    </div>
  );
}

/** The same for those that are selected. */
export function ConversationsSelection({ rows, read }: { rows: readonly GridRow[]; read: Read }) {
  return <End conversations={rows.filter(({ half }) => half === undefined).map((row) => conversationOf(row, read))} />;
}

function End({ conversations }: { conversations: readonly ConversationPath[] }) {
  const { t } = useTranslation('operations');
  const estate = useEstatePage();
  const missing = useMissingRight('operate');
  // Those that it was opened for: rows may come and go while it is open.
  const [asked, ask] = useState<readonly ConversationPath[] | null>(null);
  const tooMany = conversations.length > endedMax ? t('end.tooMany', { most: endedMax }) : null;
  return (
    <>
      <GuardedButton
        barred={missing ?? tooMany}
        size="compact-sm"
        variant="default"
        onClick={() => {
          ask(conversations);
        }}
      >
        {t('end.open', { count: conversations.length })}
      </GuardedButton>
      {asked !== null && (
        <EndConversationDialog
          estate={estate.name}
          conversations={asked}
          onClose={() => {
            ask(null);
          }}
        />
      )}
    </>
  );
}
