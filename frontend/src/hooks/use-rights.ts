import { createContext, useContext } from 'react';

import type { Person } from '@/contracts/api';

import { useParameter } from './use-view-state';

export type Right = 'view' | 'operate' | 'edit' | 'train' | 'administer';

export const PersonContext = createContext<Person | null>(null);

export function usePerson(): Person {
  const person = useContext(PersonContext);
  if (person === null) {
    throw new Error('usePerson stands outside of a session.');
  }
  return person;
}

const deeds: Record<Right, string> = {
  view: 'view estates',
  operate: 'operate instances and conversations',
  edit: 'change the topology',
  train: 'lead exercises',
  administer: 'administer users',
};

/** Null when the person may, otherwise the sentence that says what is missing. What operates, operates what runs: not a draft. */
export function useMissingRight(right: Right): string | null {
  const { rights, role } = usePerson();
  const [draft] = useParameter('draft');
  if (right === 'operate' && draft !== null) {
    return `This acts on the running estate at once. Leave draft #${draft} first.`;
  }
  return rights.includes(right) ? null : `Your role, ${role}, may not ${deeds[right]}.`;
}
