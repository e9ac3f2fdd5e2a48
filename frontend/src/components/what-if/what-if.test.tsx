import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';

import type { FlowQuestion } from '@/contracts/api';
import { render } from '@/testing/render';

import { BasisChip, type ShownBasis } from './basis-chip';
import { FlowName } from './flow-name';
import { DispositionSign } from './light-sign';

const live: ShownBasis = { revision: 7, draft: null, isLive: true, at: null, faults: [] };

describe('what an answer is about', () => {
  it.each([
    [live, 'Live · revision 7'],
    [{ ...live, isLive: false }, 'Revision 7'],
    [{ ...live, draft: 3 }, 'Draft #3'],
  ])('is said in every case', (basis, words) => {
    render(<BasisChip basis={basis} />);
    expect(screen.getByText(words)).toBeInTheDocument();
  });

  const one = { kind: 'instance', instance: 'LYON' } as const;
  const at = Date.UTC(2027, 0, 2, 3, 4, 5);

  it('names the instant and the one failure that is supposed', () => {
    render(<BasisChip basis={{ ...live, at, faults: [one] }} />);
    expect(screen.getByText('at 2 Jan 2027, 03:04:05 UTC')).toBeInTheDocument();
    expect(screen.getByText('LYON is down')).toBeInTheDocument();
  });

  it('counts several failures', () => {
    render(<BasisChip basis={{ ...live, faults: [one, { kind: 'endpoint', instance: 'HUB' }] }} />);
    expect(screen.getByText('2 failures supposed')).toBeInTheDocument();
  });
});

it('calls a delay for want of a route by its name, and other delays delays', () => {
  render(
    <>
      <DispositionSign disposition="delayed" number={9750} />
      <DispositionSign disposition="delayed" number={9770} />
      <DispositionSign disposition="delayed" />
    </>,
  );
  expect(screen.getAllByText('No route')).toHaveLength(1);
  expect(screen.getAllByText('Delayed')).toHaveLength(2);
});

it('says a flow whole to whoever cannot see it short', () => {
  const flow: FlowQuestion = {
    instance: 'PARIS',
    database: 'Ventes',
    service: '//exemple.fr/Ventes/Guichet',
    to_service: '//exemple.fr/Commandes/Une/Réception/Lointaine',
    broker_instance: null,
  };
  render(
    <>
      <FlowName flow={flow} />
      <FlowName flow={{ ...flow, broker_instance: '3c0f6a52-8d1e-4b57-9a4e-1f2d7b6c5e01' }} />
    </>,
  );
  const whole = 'From //exemple.fr/Ventes/Guichet in PARIS Ventes to //exemple.fr/Commandes/Une/Réception/Lointaine';
  expect(screen.getByText(whole)).toBeInTheDocument();
  expect(screen.getByText(`${whole}, broker id 3c0f6a52-8d1e-4b57-9a4e-1f2d7b6c5e01`)).toBeInTheDocument();
});
