import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { closeGlossary, openGlossary } from '@/hooks/use-glossary';
import { i18n } from '@/i18n';
import de from '@/i18n/locales/de';
import { termNames } from '@/i18n/terms';
import { render } from '@/testing/render';

import { GlossaryPanel } from './glossary-panel';
import { Term } from './term';

beforeEach(() => {
  act(closeGlossary);
});

const marked = () => screen.queryAllByRole('button').map((button) => button.textContent);

describe('a term', () => {
  function Page() {
    const [isFirstThere, setFirstThere] = useState(true);
    return (
      <>
        {isFirstThere && (
          <h2>
            <Term name="route">All routes here</Term>
          </h2>
        )}
        <p>
          <Term name="route">Routes of PARIS</Term>
        </p>
        <label>
          <Term name="brokerInstance">Broker instance</Term>
          <input />
        </label>
        <input
          type="checkbox"
          aria-label="without the first"
          onChange={() => {
            setFirstThere(false);
          }}
        />
      </>
    );
  }

  it('is marked where the page shows it first, and there only', async () => {
    render(<Page />);
    expect(marked()).toEqual(['routes', 'Broker instance']);
    expect(screen.getByRole('heading')).toHaveTextContent('All routes here');
    await userEvent.click(screen.getByRole('checkbox'));
    expect(marked()).toEqual(['Routes', 'Broker instance']);
  });

  it('tells its sentence to who comes by keyboard, and takes it away on Escape', async () => {
    const user = userEvent.setup();
    render(<Page />);
    await user.tab();
    expect(screen.getByRole('button', { name: 'routes' })).toHaveFocus();
    expect(await screen.findByRole('tooltip')).toHaveTextContent(/^A row that says to which address/);
    expect(screen.getByRole('button', { name: 'routes' })).toHaveAccessibleDescription(
      /^A row that says to which address/,
    );
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('tooltip')).not.toBeInTheDocument();
  });

  it('leaves the label of a field as it is, and the field alone', async () => {
    const user = userEvent.setup();
    render(<Page />);
    const field = screen.getByRole('textbox', { name: 'Broker instance' });
    await user.click(screen.getByText('Broker instance'));
    expect(field).not.toHaveFocus();
  });

  it.each(['{Enter}', ' '])('opens the glossary at itself on %j', async (key) => {
    const user = userEvent.setup();
    render(
      <>
        <Page />
        <GlossaryPanel />
      </>,
    );
    await user.tab();
    await user.keyboard(key);
    const panel = await screen.findByRole('dialog', { name: 'Glossary' });
    expect(within(panel).getByText('Route', { selector: 'dt' })).toHaveFocus();
  });
});

describe('the glossary', () => {
  afterEach(async () => {
    await act(() => i18n.changeLanguage('en'));
  });

  const shown = () => screen.getAllByRole('term').map((term) => term.textContent);

  it('lists every term, and finds those that are meant', async () => {
    const user = userEvent.setup();
    render(<GlossaryPanel />);
    act(openGlossary);
    const field = await screen.findByRole('searchbox', { name: 'Find a word' });
    expect(shown()).toHaveLength(termNames.length);
    expect(field).toHaveFocus();
    await user.type(field, 'sys.transmission_queue');
    expect(shown()).toEqual(['Transmission queue']);
    await user.clear(field);
    await user.type(field, 'nothing of it');
    expect(screen.getByText('No term has “nothing of it” in it.')).toHaveRole('status');
  });

  it('is in the order of its language', async () => {
    i18n.addResourceBundle('de', 'glossary', de.glossary);
    await act(() => i18n.changeLanguage('de'));
    render(<GlossaryPanel />);
    act(openGlossary);
    await screen.findByRole('dialog', { name: 'Glossar' });
    expect(shown().slice(0, 3)).toEqual(['Aktivierung', 'Befund', 'Bestätigung']);
    expect(shown().slice(-3)).toEqual(['Übertragungswarteschlange', 'Vertrag', 'Warteschlange']);
  });
});
