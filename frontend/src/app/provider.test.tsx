import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useTranslation } from 'react-i18next';
import { afterEach, describe, expect, it } from 'vitest';

import { setLanguage } from '@/i18n';
import { queryClient } from '@/lib/query-client';
import { setTimeZone, useAbsoluteTime } from '@/lib/time';

import { Provider } from './provider';

function Form() {
  const { t } = useTranslation('canvas');
  const timeText = useAbsoluteTime();
  return (
    <label>
      {t('controls.zoomIn')}, {timeText(0)}
      <input />
    </label>
  );
}

afterEach(async () => {
  await act(async () => {
    setTimeZone('UTC');
    await setLanguage('en');
  });
});

describe('Another language or time zone', () => {
  it('changes the words and keeps what was typed', async () => {
    render(
      <Provider>
        <Form />
      </Provider>,
    );
    const field = screen.getByLabelText('Zoom in, 1 Jan 1970, 00:00:00 UTC');
    await userEvent.type(field, 'half');
    await act(() => setLanguage('de'));
    expect(await screen.findByLabelText('Vergrößern, 1. Jan. 1970, 00:00:00 UTC')).toBe(field);
    act(() => {
      setTimeZone('Europe/Paris');
    });
    expect(await screen.findByLabelText('Vergrößern, 1. Jan. 1970, 01:00:00 UTC+1')).toBe(field);
    expect(field).toHaveValue('half');
  });

  it('asks the server again for what it has worded', async () => {
    render(<Provider>{null}</Provider>);
    queryClient.setQueryData(['findings', 'demo'], 'No route');
    await act(() => setLanguage('fr'));
    expect(queryClient.getQueryState(['findings', 'demo'])?.isInvalidated).toBe(true);
  });
});
