import { create } from 'zustand';

import type { TermName } from '@/i18n/terms';

/** The glossary beside the page: whether it is open, and at which term. */
type Glossary = { isOpen: boolean; at: TermName | null };

export const useGlossary = create<Glossary>(() => ({ isOpen: false, at: null }));

/** Opens the glossary, at a term or at its beginning. */
export function openGlossary(at: TermName | null = null): void {
  useGlossary.setState({ isOpen: true, at });
}

export function closeGlossary(): void {
  useGlossary.setState({ isOpen: false });
}
