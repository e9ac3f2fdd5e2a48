import { createContext, useContext } from 'react';
import { useTranslation } from 'react-i18next';

import type { Person, Right } from '@/contracts/api';

import { useSandbox } from './use-sandbox';
import { useParameter } from './use-view-state';

export const PersonContext = createContext<Person | null>(null);

/** Whether the session of the person has ended: they may do nothing, and read nothing more, before they log in. */
export const SessionOverContext = createContext(false);

export function usePerson(): Person {
  const person = useContext(PersonContext);
  if (person === null) {
    throw new Error('usePerson stands outside of a session.');
  }
  return person;
}

/**
 * Null when the person may, otherwise the sentence that says what is missing. What operates, operates what runs: not a
 * draft. Definitions of a
 * sandbox change by T-SQL alone, and nothing is done in somebody else's.
 */
export function useMissingRight(right: Right): string | null {
  const { t } = useTranslation('notices');
  const { rights, role } = usePerson();
  const [draft] = useParameter('draft');
  const isOver = useContext(SessionOverContext);
  const sandbox = useSandbox();
  if (isOver) {
    return t('sessionOver');
  }
  if (sandbox !== null && right === 'edit') {
    return t('sandbox.byScript');
  }
  if (sandbox?.isOwn === false && right === 'operate') {
    return t('sandbox.looksOnly');
  }
  if (right === 'operate' && draft !== null) {
    return t('leaveDraftFirst', { draft });
  }
  return rights.includes(right) ? null : t(`missing.${right}`, { role });
}
