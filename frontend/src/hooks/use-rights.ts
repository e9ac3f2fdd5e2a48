import { createContext, useContext } from 'react';

import type { Person } from '@/contracts/api';

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

/** Null when the person may, otherwise the sentence that says what is missing. */
export function useMissingRight(right: Right): string | null {
  const { rights, role } = usePerson();
  return rights.includes(right) ? null : `Your role, ${role}, may not ${deeds[right]}.`;
}
