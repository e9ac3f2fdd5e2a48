// What a page knows of its session, as a fold of what happens to it. Free of sockets and of React.
import type { ConsoleCell, ConsoleColumn, ConsoleFailure, ConsoleMessage, Welcome } from '@/contracts/console-messages';

/** The most outputs of a script that are shown; the server answers as many rows as it lets a script answer. */
export const outputsMax = 2000;

export type Output =
  | {
      kind: 'result';
      key: number;
      line: number;
      columns: readonly ConsoleColumn[];
      rows: readonly (readonly ConsoleCell[])[];
      isWhole: boolean;
    }
  | { kind: 'printed'; key: number; line: number; text: string }
  | { kind: 'affected'; key: number; line: number; count: number }
  | ({ kind: 'failed'; key: number } & ConsoleFailure);

export type Run = {
  id: number;
  /** The line of the editor on which the script begins, from 1: a selection begins further down. */
  firstLine: number;
  outputs: readonly Output[];
  /** Outputs that are not shown. */
  left: number;
  outcome: 'running' | 'cancelling' | 'finished' | 'cancelled' | 'lost';
  elapsedSeconds: number | null;
};

export type Session = {
  phase: 'opening' | 'ready' | 'lost' | 'refused';
  welcome: Welcome | null;
  /** Where USE has gone. */
  database: string;
  transactionCount: number;
  run: Run | null;
  refusal: { code: number; reason: string; detail: string } | null;
};

export type SessionEvent =
  | { type: 'opening'; database: string }
  | { type: 'heard'; message: ConsoleMessage }
  | { type: 'ran'; id: number; firstLine: number }
  | { type: 'cancelled' }
  | { type: 'closed' };

export function newSession(database: string): Session {
  return { phase: 'opening', welcome: null, database, transactionCount: 0, run: null, refusal: null };
}

export function isRunning(session: Session): boolean {
  return session.run?.outcome === 'running' || session.run?.outcome === 'cancelling';
}

export function after(session: Session, event: SessionEvent): Session {
  switch (event.type) {
    case 'opening':
      // What the last script has answered stays: nobody but the reader takes it away.
      return { ...newSession(event.database), run: session.run };
    case 'ran':
      return {
        ...session,
        run: {
          id: event.id,
          firstLine: event.firstLine,
          outputs: [],
          left: 0,
          outcome: 'running',
          elapsedSeconds: null,
        },
      };
    case 'cancelled':
      return isRunning(session) && session.run !== null
        ? { ...session, run: { ...session.run, outcome: 'cancelling' } }
        : session;
    case 'closed':
      return session.phase === 'refused' ? session : { ...lost(session), phase: 'lost' };
    case 'heard':
      return heard(session, event.message);
  }
}

/** Whatever ran, nobody hears any more of it. */
function lost(session: Session): Session {
  return isRunning(session) && session.run !== null
    ? { ...session, run: { ...session.run, outcome: 'lost' } }
    : session;
}

function heard(session: Session, message: ConsoleMessage): Session {
  switch (message.type) {
    case 'welcome':
      return { ...session, phase: 'ready', welcome: message, database: message.database };
    case 'refused':
      return { ...lost(session), phase: 'refused', refusal: message };
    case 'completion':
    case 'hb':
      return session;
    case 'denied':
    case 'result-set':
    case 'rows':
    case 'printed':
    case 'rows-affected':
    case 'failed':
    case 'done':
      return session.run?.id === message.id ? told(session, session.run, message) : session;
  }
}

type Told = Exclude<ConsoleMessage, { type: 'welcome' | 'refused' | 'completion' | 'hb' }>;

function told(session: Session, run: Run, message: Told): Session {
  const key = run.outputs.length;
  switch (message.type) {
    case 'result-set':
      return put(session, run, {
        kind: 'result',
        key,
        line: message.line,
        columns: message.columns,
        rows: message.rows,
        isWhole: message.is_whole,
      });
    case 'rows':
      return { ...session, run: { ...run, outputs: withRows(run.outputs, message.rows, message.is_whole) } };
    case 'printed':
      return put(session, run, { kind: 'printed', key, line: message.line, text: message.text });
    case 'rows-affected':
      return put(session, run, { kind: 'affected', key, line: message.line, count: message.count });
    case 'failed':
      return put(session, run, { kind: 'failed', key, ...failure(message) });
    case 'denied':
      return put(
        session,
        { ...run, outcome: 'finished' },
        {
          kind: 'failed',
          key,
          number: message.code,
          severity: 16,
          state: 1,
          line: 1,
          message: message.detail,
          why: '',
          cure: '',
        },
      );
    case 'done':
      return {
        ...session,
        transactionCount: message.transaction_count,
        database: message.database,
        run: { ...run, outcome: message.outcome, elapsedSeconds: message.elapsed_seconds },
      };
  }
}

function failure({ number, severity, state, line, message, why, cure }: ConsoleFailure): ConsoleFailure {
  return { number, severity, state, line, message, why, cure };
}

function put(session: Session, run: Run, output: Output): Session {
  const isFull = run.outputs.length >= outputsMax;
  const after = isFull ? { ...run, left: run.left + 1 } : { ...run, outputs: [...run.outputs, output] };
  return { ...session, run: after };
}

/** More rows of the result set that came last. */
function withRows(
  outputs: readonly Output[],
  rows: readonly (readonly ConsoleCell[])[],
  isWhole: boolean,
): readonly Output[] {
  const last = outputs.at(-1);
  return last?.kind === 'result' && !last.isWhole
    ? [...outputs.slice(0, -1), { ...last, rows: [...last.rows, ...rows], isWhole }]
    : outputs;
}
