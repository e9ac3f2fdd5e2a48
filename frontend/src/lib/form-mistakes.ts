// What is wrong in a form that is open, so that the drawing can mark the object and the draft is not taken for
// finished.
import { create } from 'zustand';

type FormMistakes = {
  /** The object that the form is about, as a selection in text; null when no form has a mistake. */
  about: string | null;
};

export const useFormMistakes = create<FormMistakes>(() => ({ about: null }));

export function tellMistake(about: string | null): void {
  useFormMistakes.setState({ about });
}
