// The page with its real editor; the server is a socket that the test speaks through.
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { EditorView } from '@codemirror/view';
import { Link } from 'react-router';
import { beforeEach, describe, expect, it } from 'vitest';

import { gatheringMilliseconds } from '@/components/sql-console/gathered';
import { useHistoryStore, useTextStore } from '@/components/sql-console/store';
import type { ConsoleMessage, ConsoleRequest } from '@/contracts/console-messages';
import { render } from '@/testing/render';

import { SqlConsole } from './components/sql-console';

class Server {
  static latest: Server;
  static all: Server[] = [];
  readyState = 1;
  said: ConsoleRequest[] = [];
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  isClosed = false;

  constructor() {
    Server.latest = this;
    Server.all.push(this);
    queueMicrotask(() => {
      act(() => {
        this.onopen?.();
      });
    });
  }

  send(text: string): void {
    this.said.push(JSON.parse(text) as ConsoleRequest);
  }

  close(): void {
    this.isClosed = true;
  }

  /** Done when the page has taken it: what follows closely on something waits to be drawn with what follows it. */
  async tell(...messages: ConsoleMessage[]): Promise<void> {
    await act(async () => {
      this.onmessage?.({ data: JSON.stringify(messages) });
      await new Promise((taken) => {
        setTimeout(taken, gatheringMilliseconds);
      });
    });
  }

  /** The request of a kind that came last. */
  asked<T extends ConsoleRequest['type']>(type: T): Extract<ConsoleRequest, { type: T }> | undefined {
    return this.said.findLast((each): each is Extract<ConsoleRequest, { type: T }> => each.type === type);
  }
}

const welcome: ConsoleMessage = {
  type: 'welcome',
  instance: 'PARIS',
  database: 'Ventes',
  heartbeat_seconds: 5,
  withholds_bodies: false,
  may_define: true,
};

const done = (id: number, transactions = 0): ConsoleMessage => ({
  type: 'done',
  id,
  outcome: 'finished',
  elapsed_seconds: 0.02,
  transaction_count: transactions,
  database: 'Ventes',
});

beforeEach(() => {
  Server.all = [];
  Object.assign(Server, { OPEN: 1 });
  window.WebSocket = Server as unknown as typeof WebSocket;
  useHistoryStore.setState({ scripts: {} });
  useTextStore.setState({ texts: {}, places: {} });
});

async function openConsole(role: 'operator' | 'viewer' = 'operator') {
  const page = (
    <>
      <SqlConsole />
      <Link to="/elsewhere">Elsewhere</Link>
    </>
  );
  render(page, { role, isRouted: true });
  const editor = await screen.findByRole('textbox', { name: 'Script' });
  await waitFor(() => {
    expect(Server.latest.asked('hello')).toBeDefined();
  });
  await Server.latest.tell(welcome);
  const view = EditorView.findFromDOM(editor);
  if (view === null) {
    throw new Error('There is no editor.');
  }
  return { editor, view, server: Server.latest };
}

function write(view: EditorView, text: string, from = text.length, to = from): void {
  act(() => {
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: text },
      selection: { anchor: from, head: to },
    });
    view.focus();
  });
}

const press = async (keys: string) => userEvent.keyboard(keys);

describe('the T-SQL console', () => {
  it('runs the whole script with Ctrl+Enter and shows what it answers', async () => {
    const { view, server } = await openConsole();
    write(view, 'SELECT 1 AS one;');
    await press('{Control>}{Enter}{/Control}');
    const run = server.asked('run');
    expect(run?.script).toBe('SELECT 1 AS one;');
    await server.tell(
      {
        type: 'result-set',
        id: run?.id ?? 0,
        line: 1,
        columns: [
          { name: 'one', type: 'int' },
          { name: 'body', type: 'varbinary(max)' },
        ],
        rows: [[null, '0x3C00680065006C006C006F002F003E00']],
        is_whole: true,
      },
      { type: 'rows-affected', id: run?.id ?? 0, count: 1, line: 1 },
      done(run?.id ?? 0),
    );
    const result = await screen.findByRole('region', { name: 'Result set 1' });
    expect(within(result).getByRole('columnheader', { name: 'one' })).toBeInTheDocument();
    expect(screen.getByText('NULL')).toBeInTheDocument();
    expect(screen.getByText('<hello/>')).toBeInTheDocument();
    expect(await screen.findByText('1 row affected')).toBeInTheDocument();
    expect(screen.getByText('Finished after 0.02 s')).toBeInTheDocument();
  });

  it('runs the selection alone, and leads from an error to its line in the editor', async () => {
    const { view, server } = await openConsole();
    write(view, 'PRINT 1;\nPRINT 2;\nSELECT * FROM no_such;', 9, 40);
    await press('{F5}');
    const run = server.asked('run');
    expect(run?.script).toBe('PRINT 2;\nSELECT * FROM no_such;');
    await server.tell(
      {
        type: 'failed',
        id: run?.id ?? 0,
        number: 208,
        severity: 16,
        state: 1,
        line: 2,
        message: "Invalid object name 'no_such'",
        why: '',
        cure: 'Check the spelling',
      },
      done(run?.id ?? 0),
    );
    const alert = screen.getByRole('alert');
    expect(alert).toHaveTextContent("Invalid object name 'no_such'.");
    expect(alert).toHaveTextContent('208 · level 16 · state 1');
    expect(view.dom.querySelector('.cm-failed-line')).toHaveTextContent('SELECT * FROM no_such;');
    await userEvent.click(within(alert).getByRole('button', { name: 'Line 3' }));
    expect(view.state.doc.lineAt(view.state.selection.main.head).number).toBe(3);
    await userEvent.click(screen.getByRole('button', { name: '1 error' }));
    expect(alert).toHaveFocus();
  });

  it('says so when a script has succeeded without an answer, and where a column has no name', async () => {
    const { view, server } = await openConsole();
    write(view, 'CREATE QUEUE Waiting;');
    await press('{F5}');
    await server.tell(done(server.asked('run')?.id ?? 0));
    expect(screen.getByText('Commands completed successfully.')).toBeInTheDocument();
    expect(screen.getByText('no errors')).toBeInTheDocument();
    await press('{F5}');
    const id = server.asked('run')?.id ?? 0;
    const columns = [{ name: '', type: 'int' }];
    await server.tell({ type: 'result-set', id, line: 1, columns, rows: [[1]], is_whole: true }, done(id));
    expect(await screen.findByRole('columnheader', { name: '(No column name)' })).toBeInTheDocument();
    expect(screen.queryByText('Commands completed successfully.')).not.toBeInTheDocument();
  });

  it('goes back to the database that was chosen for the script when the page is loaded again', async () => {
    useTextStore.setState({ texts: {}, places: { 'demo-fr-de': { instance: 'PARIS', database: 'msdb' } } });
    await openConsole();
    expect(Server.latest.asked('hello')).toMatchObject({ instance: 'PARIS', database: 'msdb' });
    expect(screen.getByRole('combobox', { name: 'Database' })).toHaveValue('msdb');
  });

  it('runs one script at a time, and cancels it', async () => {
    const { view, server } = await openConsole();
    write(view, "WAITFOR DELAY '00:01:00';");
    await press('{F5}{F5}');
    expect(server.said.filter(({ type }) => type === 'run')).toHaveLength(1);
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(server.asked('cancel')?.id).toBe(server.asked('run')?.id);
    expect(screen.getByRole('button', { name: 'Cancelling' })).toBeDisabled();
  });

  it('shows an open transaction, with the ways to end it', async () => {
    const { view, server } = await openConsole();
    write(view, 'BEGIN TRANSACTION;');
    await press('{F5}');
    await server.tell(done(server.asked('run')?.id ?? 0, 1));
    const chip = screen.getByRole('group', { name: 'Transaction open' });
    await userEvent.click(within(chip).getByRole('button', { name: 'Roll back' }));
    expect(server.asked('run')?.script).toBe('ROLLBACK TRANSACTION;');
    await server.tell(done(server.asked('run')?.id ?? 0, 0));
    expect(screen.queryByRole('group', { name: 'Transaction open' })).not.toBeInTheDocument();
  });

  async function withOpenTransaction() {
    const opened = await openConsole();
    write(opened.view, 'BEGIN TRANSACTION;');
    await press('{F5}');
    await opened.server.tell(done(opened.server.asked('run')?.id ?? 0, 1));
    return opened;
  }

  it('asks before a link leaves an open transaction, and stays or goes', async () => {
    await withOpenTransaction();
    await userEvent.click(screen.getByRole('link', { name: 'Elsewhere' }));
    const question = await screen.findByRole('dialog', { name: 'Leave with a transaction open?' });
    await userEvent.click(within(question).getByRole('button', { name: 'Stay' }));
    expect(screen.getByTestId('address')).toHaveTextContent(/^\/$/);
    await userEvent.click(screen.getByRole('link', { name: 'Elsewhere' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Leave and roll back' }));
    expect(screen.getByTestId('address')).toHaveTextContent('/elsewhere');
  });

  it('asks before another database ends an open transaction, and is another session then', async () => {
    const { server } = await withOpenTransaction();
    const choose = async () => {
      await userEvent.click(screen.getByRole('combobox', { name: 'Database' }));
      await userEvent.click(await screen.findByRole('option', { name: 'msdb', hidden: true }));
    };
    await choose();
    await userEvent.click(await screen.findByRole('button', { name: 'Stay' }));
    expect(server.isClosed).toBe(false);
    await choose();
    await userEvent.click(await screen.findByRole('button', { name: 'Leave and roll back' }));
    await waitFor(() => {
      expect(Server.latest.asked('hello')?.database).toBe('msdb');
    });
    expect(server.isClosed).toBe(true);
  });

  it('leaves at once where no transaction is open', async () => {
    await openConsole();
    await userEvent.click(screen.getByRole('link', { name: 'Elsewhere' }));
    expect(screen.getByTestId('address')).toHaveTextContent('/elsewhere');
  });

  it('says that the run of a sandbox has ended, and offers no other session', async () => {
    const { server } = await openConsole();
    await server.tell({ type: 'refused', code: 4411, reason: 'over', detail: '' });
    expect(await screen.findByRole('alert')).toHaveTextContent(
      '4411 · The server refuses a session: The run has ended',
    );
    expect(screen.queryByRole('button', { name: 'Connect again' })).not.toBeInTheDocument();
  });

  it('has a bar between script and results that the keyboard reaches', async () => {
    await openConsole();
    expect(screen.getByRole('separator', { name: 'Between script and results' })).toHaveAttribute('tabindex', '0');
  });

  it('keeps what was run, but no script with a password, and brings it back', async () => {
    const { view, server } = await openConsole();
    for (const script of ['SELECT 1;', "CREATE MASTER KEY ENCRYPTION BY PASSWORD = N'p';"]) {
      write(view, script);
      await press('{F5}');
      await server.tell(done(server.asked('run')?.id ?? 0));
    }
    expect(Object.values(useTextStore.getState().texts)).toEqual(['SELECT 1;']);
    await userEvent.click(screen.getByRole('button', { name: 'History' }));
    expect(await screen.findAllByRole('menuitem')).toHaveLength(2);
    expect(screen.queryByRole('menuitem', { name: /MASTER KEY/ })).not.toBeInTheDocument();
    await userEvent.click(await screen.findByRole('menuitem', { name: /SELECT 1;/ }));
    expect(view.state.doc.toString()).toBe('SELECT 1;');
  });

  it('says that the session is gone when the connection is, and opens another one', async () => {
    const { server } = await openConsole();
    act(() => {
      server.onclose?.();
    });
    expect(screen.getByRole('alert')).toHaveTextContent('what was not committed is rolled back');
    await userEvent.click(screen.getByRole('button', { name: 'Connect again' }));
    await waitFor(() => {
      expect(Server.all.length).toBeGreaterThan(1);
      expect(Server.latest.asked('hello')).toBeDefined();
    });
  });

  it('acknowledges every frame', async () => {
    const { server } = await openConsole();
    await server.tell({ type: 'hb' });
    expect(server.asked('ack')).toEqual({ type: 'ack', frames: 2 });
  });
});

it('says to people who may not run statements that they may not, before there is an editor or a session', () => {
  render(<SqlConsole />, { role: 'viewer' });
  expect(screen.getByText(/not run statements on its instances/)).toBeInTheDocument();
  expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
});
