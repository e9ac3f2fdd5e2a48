import { createContext, useContext } from 'react';
import { useTranslation } from 'react-i18next';

import type { Person, Right } from '@/contracts/api';

import { useParameter } from './use-view-state';

export const PersonContext = createContext<Person | null>(null);

export function usePerson(): Person {
  const person = useContext(PersonContext);
  if (person === null) {
    throw new Error('usePerson stands outside of a session.');
  }
  return person;
}

/**
 * Null when the person may, otherwise the sentence that says what is missing. What operates, operates what runs: not a
 * draft.
 */
export function useMissingRight(right: Right): string | null {
  const { t } = useTranslation('notices');
  const { rights, role } = usePerson();
  const [draft] = useParameter('draft');
  if (right === 'operate' && draft !== null) {
    return t('leaveDraftFirst', { draft });
  }
  return rights.includes(right) ? null : t(`missing.${right}`, { role });
}
