// Which languages there are, and which one this browser wants.

export const languages = { en: 'English', fr: 'Français', de: 'Deutsch' } as const;

export type Language = keyof typeof languages;

const KEY = 'brokerweb.language';

export const isLanguage = (value: unknown): value is Language =>
  typeof value === 'string' && Object.hasOwn(languages, value);

/** What was chosen here, otherwise the first of the browser's languages that there is, otherwise English. */
export function chosenLanguage(): Language {
  const kept = window.localStorage.getItem(KEY);
  if (isLanguage(kept)) {
    return kept;
  }
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
}

export function rememberLanguage(language: Language): void {
  window.localStorage.setItem(KEY, language);
}
