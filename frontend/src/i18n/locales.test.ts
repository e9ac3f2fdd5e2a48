import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';

import { languages, type Language } from './languages';
import de from './locales/de';
import en from './locales/en';
import fr from './locales/fr';

type Messages = { [key: string]: string | Messages };
type Part = { type: number; value?: string; options?: Record<string, { value: Part[] }>; children?: Part[] };

const all: Record<Language, Messages> = { en, fr, de };

function flat(messages: Messages, path = ''): [string, string][] {
  return Object.entries(messages).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${path}${key}`, value]] : flat(value, `${path}${key}.`),
  );
}

/** Names of what is put into a message; the literal pieces have no name. */
function names(parts: readonly Part[]): string[] {
  return parts.flatMap(({ type, value, options = {}, children = [] }) => [
    ...(type === 0 || type === 7 || value === undefined ? [] : [value]),
    ...Object.values(options).flatMap((option) => names(option.value)),
    ...names(children),
  ]);
}

const argumentsOf = (message: string, language: string) =>
  [...new Set(names(new IntlMessageFormat(message, language).getAst()))].sort();

describe.each(Object.keys(languages) as Language[])('the words in %s', (language) => {
  const said = new Map(flat(all[language]));

  it('say what English says, no more and no less', () => {
    expect([...said.keys()].sort()).toEqual(
      flat(en)
        .map(([key]) => key)
        .sort(),
    );
  });

  it('are messages that ask for the same arguments', () => {
    const wrong = flat(en).flatMap(([key, message]) => {
      const mine = argumentsOf(said.get(key) ?? '', language);
      return mine.join() === argumentsOf(message, 'en').join() ? [] : [`${key}: ${mine.join()}`];
    });
    expect(wrong).toEqual([]);
  });

  it('are never empty', () => {
    expect([...said].filter(([, message]) => message.trim() === '')).toEqual([]);
  });
});

describe('French', () => {
  it('has a space that does not break before : ; ? and !', () => {
    // A colon that begins a name (:CONNECT) or stands in a time or an address has none in front of it.
    const wrong = flat(fr).filter(([, message]) =>
      / [:;?!](\s|$)|[\p{L}\p{N})}»][;?!](\s|$)|[\p{L})}»]:\s/u.test(message),
    );
    expect(wrong).toEqual([]);
  });
});
