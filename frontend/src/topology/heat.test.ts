import { describe, expect, it } from 'vitest';

import { demoEstate } from '@/testing/demo-estate';

import { buildGraph, ids } from './graph';
import { heatOf, heatShare, linkKey, stepOfLine } from './heat';

const step = (instance: string, from: string | null, change: string, conversations: number) => ({
  instance,
  from_instance: from,
  change,
  conversations,
});

describe('heat', () => {
  const heat = heatOf({
    steps: [
      step('PARIS', null, 'lost', 7),
      step('HUB', 'PARIS', 'lost', 7),
      step('HUB', 'PARIS', 'gained', 2),
      step('HUB', 'HUB', 'moved', 1),
      step('LYON', 'HUB', 'unchanged', 99),
    ],
  });

  it('sums what passes an instance, and is of the colour of the gravest change', () => {
    expect(heat.places.get('HUB')).toEqual({ counts: { lost: 7, moved: 1, gained: 2 }, all: 10, gravest: 'lost' });
    expect([...heat.places.keys()]).toEqual(['PARIS', 'HUB']);
    expect(heat.most).toBe(10);
  });

  it('is on the steps between two instances, and not within one', () => {
    expect([...heat.links.keys()]).toEqual([linkKey('PARIS', 'HUB')]);
    expect(heat.links.get(linkKey('PARIS', 'HUB'))).toMatchObject({ from: 'PARIS', to: 'HUB', all: 9 });
  });

  it('grows with the logarithm: ten are seen beside a million', () => {
    expect(heatShare(10, 1_000_000)).toBeGreaterThan(0.15);
    expect(heatShare(1_000_000, 1_000_000)).toBe(1);
    expect(heatShare(0, 5)).toBe(0);
  });
});

it('a line of the drawing is the step from its instance to the one that it leads to', () => {
  const { lines } = buildGraph(demoEstate());
  const steps = lines.map((line) => [line.target, stepOfLine(line)] as const);
  expect(steps.some(([target, key]) => target === ids.instance('HUB') && key === linkKey('PARIS', 'HUB'))).toBe(true);
  expect(steps.filter(([target]) => !target.startsWith('instance/')).every(([, key]) => key === null)).toBe(true);
});
