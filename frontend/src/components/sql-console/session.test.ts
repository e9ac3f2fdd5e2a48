import { describe, expect, it } from 'vitest';

import { parseConsoleFrame, type ConsoleMessage } from '@/contracts/console-messages';

import { after, isRunning, newSession, outputsMax, type Session } from './session';

const welcome: ConsoleMessage = {
  type: 'welcome',
  instance: 'PARIS',
  database: 'Ventes',
  heartbeat_seconds: 5,
  withholds_bodies: false,
  may_define: true,
};

function fold(...messages: ConsoleMessage[]): Session {
  const begun = after(after(newSession('Ventes'), { type: 'heard', message: welcome }), {
    type: 'ran',
    id: 1,
    firstLine: 1,
  });
  return messages.reduce((session, message) => after(session, { type: 'heard', message }), begun);
}

const resultSet = (rows: number[], isWhole: boolean): ConsoleMessage => ({
  type: 'result-set',
  id: 1,
  line: 1,
  columns: [{ name: 'n', type: 'int' }],
  rows: rows.map((n) => [n]),
  is_whole: isWhole,
});

describe('a session', () => {
  it('is ready when it is welcomed, and runs until it is told that the script is done', () => {
    const running = fold();
    expect([running.phase, isRunning(running)]).toEqual(['ready', true]);
    const done = after(running, {
      type: 'heard',
      message: {
        type: 'done',
        id: 1,
        outcome: 'finished',
        elapsed_seconds: 0.5,
        transaction_count: 2,
        database: 'Archives',
      },
    });
    expect([isRunning(done), done.transactionCount, done.database]).toEqual([false, 2, 'Archives']);
  });

  it('puts together a result set that comes in pieces', () => {
    const session = fold(
      resultSet([1, 2], false),
      { type: 'rows', id: 1, rows: [[3]], is_whole: false },
      { type: 'rows', id: 1, rows: [[4]], is_whole: true },
      // Nothing of it is missing any more: rows that follow belong to nothing.
      { type: 'rows', id: 1, rows: [[5]], is_whole: true },
    );
    expect(session.run?.outputs).toMatchObject([{ kind: 'result', rows: [[1], [2], [3], [4]], isWhole: true }]);
  });

  it('hears nothing of a script that is not its own', () => {
    expect(fold({ type: 'printed', id: 7, text: 'other', line: 1 }).run?.outputs).toEqual([]);
  });

  it('keeps so many outputs and counts the others', () => {
    const many = Array.from({ length: outputsMax + 3 }, (): ConsoleMessage => ({
      type: 'printed',
      id: 1,
      text: 'again',
      line: 1,
    }));
    const { run } = fold(...many);
    expect([run?.outputs.length, run?.left]).toEqual([outputsMax, 3]);
  });

  it('does not know how a script ended when the connection is lost', () => {
    const lost = after(fold(), { type: 'closed' });
    expect([lost.phase, lost.run?.outcome]).toEqual(['lost', 'lost']);
  });

  it('stays refused when the socket closes afterwards, and says why', () => {
    const refused = fold({ type: 'refused', code: 4403, reason: 'forbidden', detail: '' });
    expect(after(refused, { type: 'closed' })).toMatchObject({ phase: 'refused', refusal: { code: 4403 } });
  });

  it('ends a script that the server denies, with the number of the refusal', () => {
    const denied = fold({ type: 'denied', id: 1, code: 4409, reason: 'busy', detail: 'A script is running.' });
    expect(isRunning(denied)).toBe(false);
    expect(denied.run?.outputs).toMatchObject([{ kind: 'failed', number: 4409 }]);
  });
});

describe('a frame', () => {
  it.each(['', 'no JSON', '{}', '[{"type":"no-such"}]', '[{"type":"printed","id":"1"}]', '[{"type":"__proto__"}]'])(
    'of %s holds no message',
    (text) => {
      expect(parseConsoleFrame(text)).toEqual([]);
    },
  );

  it('holds the messages that are known, and leaves out others', () => {
    expect(parseConsoleFrame(`[{"type":"new"},${JSON.stringify(welcome)}]`)).toEqual([welcome]);
  });
});
