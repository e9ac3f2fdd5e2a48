// What the rows of sys.conversation_endpoints mean beyond their state.
import type { ConversationState } from '../instance-view';
import type { GridRow, Read } from './rows';

/** What a CLOSED endpoint waits for, as the engine counts them (protocol.md 8.5). */
export type ClosedKind = 'retained' | 'overdue' | 'leaked';

export const closedKinds: readonly ClosedKind[] = ['retained', 'overdue', 'leaked'];

export const states: readonly ConversationState[] = ['SO', 'SI', 'CO', 'DI', 'DO', 'ER', 'CD'];

export function stateOf(row: GridRow, read: Read): ConversationState | null {
  const state = read(row, 'state');
  return states.find((one) => one === state) ?? null;
}

/** What a closed row waits for at a moment, in seconds since 1970; null when it is not closed. */
export function closedKind(row: GridRow, read: Read, now: number): ClosedKind | null {
  if (stateOf(row, read) !== 'CD') {
    return null;
  }
  const [endsAt, guard, lifetime] = ['ends_at', 'security_timestamp', 'lifetime'].map((id) => read(row, id));
  if (typeof endsAt === 'number' && endsAt <= now) {
    return 'overdue';
  }
  // Without a guard armed it stays until its lifetime is over, which may be for ever.
  return typeof guard === 'number' && guard <= 0 && typeof lifetime === 'number' && lifetime > now
    ? 'leaked'
    : 'retained';
}

/** The endpoints of a database, as the facts of the topic tell them. */
type Sums = { by_state?: Partial<Record<ConversationState, number>>; closed?: Partial<Record<ClosedKind, number>> };

/** How many endpoints there are in each state, and closed ones by what they wait for; of one database, or of all. */
export function conversationCounts(
  facts: Readonly<Record<string, unknown>>,
  database: string | null,
): { of: (wanted: ConversationState | ClosedKind) => number | null } {
  const sums = Object.values(facts).flatMap((fact) => {
    const { sums: told = [] } = fact as { sums?: readonly (Sums & { database: string })[] };
    return told.filter((each) => database === null || each.database === database);
  });
  return {
    of: (wanted) =>
      sums.length === 0
        ? null
        : sums.reduce(
            (total, { by_state: byState, closed }) =>
              total + (closed?.[wanted as ClosedKind] ?? byState?.[wanted as ConversationState] ?? 0),
            0,
          ),
  };
}
