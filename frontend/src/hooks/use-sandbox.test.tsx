import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';

import { render } from '@/testing/render';

import { SandboxTimeContext, useShownNow } from './use-sandbox';

function Year() {
  return <p>{new Date(useShownNow()).toISOString()}</p>;
}

describe('now for the objects on view', () => {
  it('is what the machines of the sandbox show, where one is open', () => {
    render(
      <SandboxTimeContext value={Date.parse('2001-03-02T08:01:35Z')}>
        <Year />
      </SandboxTimeContext>,
    );
    expect(screen.getByText('2001-03-02T08:01:35.000Z')).toBeInTheDocument();
  });

  it('is the clock of the browser elsewhere', () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    render(<Year />);
    expect(Date.parse(screen.getByText(/Z$/).textContent)).toBeGreaterThanOrEqual(before);
  });
});
