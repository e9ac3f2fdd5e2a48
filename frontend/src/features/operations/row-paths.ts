// What a row of a live view is about, as operations name it.
import type { ConversationNamed } from '@/contracts/api';
import type { GridRow, Read } from '@/live/grid/rows';
import type { DatabasePath } from '@/topology/selection';

/** What an operation is handed: a row of the view, and how its cells are read. */
export type RowProps = { row: GridRow; read: Read };

export type ConversationPath = DatabasePath & { handle: string };
export type MessagePath = ConversationPath & { number: number; toService: string };

export function textCell(row: GridRow, read: Read, id: string): string {
  const value = read(row, id);
  return typeof value === 'string' ? value : '';
}

export function conversationOf(row: GridRow, read: Read): ConversationPath {
  return {
    instance: row.instance,
    database: textCell(row, read, 'database_name'),
    handle: textCell(row, read, 'conversation_handle'),
  };
}

export function messageOf(row: GridRow, read: Read): MessagePath {
  return {
    ...conversationOf(row, read),
    number: Number(read(row, 'message_sequence_number')),
    toService: textCell(row, read, 'to_service_name'),
  };
}

export function named({ instance, database, handle }: ConversationPath): ConversationNamed {
  return { instance, database, conversation_handle: handle };
}
