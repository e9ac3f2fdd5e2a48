import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { expect, it } from 'vitest';

import { render } from '@/testing/render';

import { useSetParameters, useTab, useTypedParameter } from './use-view-state';

/** Asks for b when a comes on view, and for c when the page has followed to a, before b is on view. */
function Hurried() {
  const { search } = useLocation();
  const set = useSetParameters();
  const begun = useRef(false);
  useLayoutEffect(() => {
    if (search === '?a=1') {
      set({ b: '1' });
    }
  }, [search, set]);
  useEffect(() => {
    if (search === '?a=1') {
      set({ c: '1' });
    } else if (!begun.current) {
      begun.current = true;
      set({ a: '1' });
    }
  }, [search, set]);
  return null;
}

it('keeps a change that an older one overtakes on its way to the page', async () => {
  render(<Hurried />, { address: '/topology' });
  await waitFor(() => {
    expect(screen.getByTestId('address')).toHaveTextContent('c=1');
  });
  expect(screen.getByTestId('address')).toHaveTextContent('/topology?a=1&b=1&c=1');
});

function Page() {
  const set = useSetParameters();
  return (
    <>
      <Link to="/topology?other=1">link</Link>
      <button
        onClick={() => {
          set({ a: '1' });
        }}
      >
        change
      </button>
    </>
  );
}

it('goes on from the address of a link', async () => {
  const user = userEvent.setup();
  render(<Page />, { address: '/topology?old=1' });
  await user.click(screen.getByRole('button'));
  await user.click(screen.getByRole('link'));
  await waitFor(() => {
    expect(screen.getByTestId('address')).toHaveTextContent('/topology?other=1');
  });
  await user.click(screen.getByRole('button'));
  await waitFor(() => {
    expect(screen.getByTestId('address')).toHaveTextContent('/topology?other=1&a=1');
  });
});

function Filter() {
  const [text, setText] = useTypedParameter('name');
  return (
    <input
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
      }}
    />
  );
}

it('reads what a typed filter leaves from the first page on', async () => {
  render(<Filter />, { address: '/changes/1?page=2&kind=route' });
  await userEvent.type(screen.getByRole('textbox'), 'abc');
  await waitFor(() => {
    expect(screen.getByTestId('address')).toHaveTextContent('/changes/1?kind=route&name=abc');
  });
});

function Tabs({ tabs }: { tabs: readonly string[] }) {
  const [tab, setTab] = useTab(tabs);
  return (
    <button
      onClick={() => {
        setTab('log');
      }}
    >
      {tab}
    </button>
  );
}

it.each([
  ['/changes/1?tab=flows', 'objects'],
  ['/changes/1?tab=log', 'log'],
  ['/changes/1', 'objects'],
])('opens the first tab where %s names none that there is', async (address, tab) => {
  render(<Tabs tabs={['objects', 'log']} />, { address });
  expect(screen.getByRole('button', { name: tab })).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button'));
  await waitFor(() => {
    expect(screen.getByTestId('address')).toHaveTextContent('/changes/1?tab=log');
  });
});

function Steps() {
  const set = useSetParameters();
  const navigate = useNavigate();
  const [text, setText] = useTypedParameter('name');
  const buttons: Record<string, () => void> = {
    select: () => {
      set({ select: 'PARIS' });
    },
    filter: () => {
      set({ kind: 'route' });
      set({ page: null });
      set({ only: 'PARIS' });
    },
    correct: () => {
      set({ tab: 'objects' }, 'correction');
    },
    slide1: () => {
      set({ at: '1' }, 'run');
    },
    slide2: () => {
      set({ at: '2' }, 'run');
    },
    back: () => void navigate(-1),
  };
  return (
    <>
      {Object.entries(buttons).map(([name, act]) => (
        <button key={name} onClick={act}>
          {name}
        </button>
      ))}
      <input
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
        }}
      />
    </>
  );
}

async function expectAddress(address: string) {
  await waitFor(() => {
    expect(screen.getByTestId('address').textContent).toBe(address);
  });
}

async function press(name: string) {
  await userEvent.click(screen.getByRole('button', { name }));
}

it.each([
  ['each step by itself', ['select', 'filter', 'back'], '/page?select=PARIS'],
  ['two steps', ['select', 'filter', 'back', 'back'], '/page'],
  ['the steps of a slider at once', ['select', 'slide1', 'slide2', 'back'], '/page?select=PARIS'],
  ['a slider apart from what was done between', ['slide1', 'select', 'slide2', 'back'], '/page?at=1&select=PARIS'],
  ['a slider after Back apart from what was left', ['slide1', 'select', 'back', 'slide2', 'back'], '/page'],
  ['a correction with its step', ['select', 'correct', 'back'], '/page'],
  ['no step that changed nothing', ['select', 'select', 'back'], '/page'],
])('undoes %s with Back', async (_, buttons, address) => {
  render(<Steps />, { address: '/page' });
  for (const each of buttons) {
    await press(each);
  }
  await expectAddress(address);
});

it('undoes typing at once with Back, and shows what was typed before', async () => {
  const user = userEvent.setup();
  render(<Steps />, { address: '/page?name=old' });
  await press('select');
  const field = screen.getByRole('textbox');
  for (const [letter, address] of [
    ['e', '/page?name=olde&select=PARIS'],
    ['r', '/page?name=older&select=PARIS'],
  ] as const) {
    await user.type(field, letter);
    await expectAddress(address);
  }
  await press('back');
  await expectAddress('/page?name=old&select=PARIS');
  expect(field).toHaveValue('old');
  await press('back');
  await expectAddress('/page?name=old');
});
