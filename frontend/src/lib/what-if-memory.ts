// The question that was asked last of each estate: the navigation leads back to it.
import { create } from 'zustand';

import type { Flow } from '@/topology/what-if-address';

const useMemory = create<{ questions: Readonly<Record<string, Flow>> }>(() => ({ questions: {} }));

export function rememberQuestion(estate: string, question: Flow): void {
  useMemory.setState(({ questions }) => ({ questions: { ...questions, [estate]: question } }));
}

export function useLastQuestion(estate: string | null): Flow | null {
  return useMemory(({ questions }) => (estate === null ? null : (questions[estate] ?? null)));
}
