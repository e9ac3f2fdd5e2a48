// The words of every screen, in English, French and German.
//
// - One namespace for each feature (`shell`, `findings`, ...): locales/LANGUAGE/NAMESPACE.json, named in the index.ts
// beside it.
// - Components: `const { t } = useTranslation('findings')`, then `t('heading')`. Elsewhere:
// `i18n.t('findings:heading')`, inside of
//   functions only: what a module says while it loads, it says in no language yet.
// - Messages are ICU: `{count, plural, one {# route} other {# routes}}`, `{name}`; sentences are whole, never put
// together from parts.
// - Names of objects, T-SQL and the vendor's terms stay English in every language.
// - locales.test.ts holds the three languages together: the same keys, the same arguments, French spaces.
import i18n from 'i18next';
import ICU from 'i18next-icu';
import { initReactI18next } from 'react-i18next';

import { chosenLanguage, languages, rememberLanguage, type Language } from './languages';
import en from './locales/en';

export { languages, type Language };
export { i18n };
export { bytesText, numberText } from './numbers';

const fetched: Record<Exclude<Language, 'en'>, () => Promise<{ default: typeof en }>> = {
  fr: () => import('./locales/fr'),
  de: () => import('./locales/de'),
};

/** Before the first screen: English is here, another language is fetched when it is the one of this browser. */
export async function startI18n(language: Language = chosenLanguage()): Promise<void> {
  await i18n
    .use(ICU)
    .use(initReactI18next)
    .init({
      lng: 'en',
      fallbackLng: 'en',
      defaultNS: 'common',
      resources: { en },
      interpolation: { escapeValue: false },
    });
  await speak(language);
}

/** Another language, from now on and after a reload. */
export async function setLanguage(language: Language): Promise<void> {
  rememberLanguage(language);
  await speak(language);
}

async function speak(language: Language): Promise<void> {
  if (language !== 'en' && !i18n.hasResourceBundle(language, 'common')) {
    const { default: words } = await fetched[language]();
    for (const [namespace, messages] of Object.entries(words)) {
      i18n.addResourceBundle(language, namespace, messages);
    }
  }
  await i18n.changeLanguage(language);
  document.documentElement.lang = language;
}
