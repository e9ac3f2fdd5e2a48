import { Tooltip } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';

import { openGlossary } from '@/hooks/use-glossary';
import type { TermName } from '@/i18n/terms';

import { useIsFirstUse } from './first-use';
import classes from './glossary.module.css';
import { wordOf } from './word-of';

type Props = { name: TermName; children: string };

/**
 * A text in which a term of the glossary is marked, where the page shows it first: its sentence appears under the
 * pointer and the focus, the glossary opens at it on a click or Enter. A text that says it in other words is marked
 * whole.
 */
export function Term({ name, children: text }: Props) {
  const { t } = useTranslation('glossary');
  if (!useIsFirstUse(name)) {
    return text;
  }
  const [before, word, after] = wordOf(text, t(`terms.${name}.term`));
  return (
    <>
      {before}
      <Marked name={name} word={word} />
      {after}
    </>
  );
}

function Marked({ name, word }: { name: TermName; word: string }) {
  const { t } = useTranslation('glossary');
  const open = () => {
    openGlossary(name);
  };
  return (
    <Tooltip label={t(`terms.${name}.text`)} multiline maw={340}>
      {/* Terms stand in labels of fields, too, and a label may hold no second control: hence no <button>. */}
      <span
        role="button"
        tabIndex={0}
        className={classes.term}
        data-term={name}
        onClick={(event) => {
          // In a label a click would go on to its field.
          event.preventDefault();
          open();
        }}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === 'Enter' || event.key === ' ') {
            event.preventDefault();
            open();
          }
        }}
      >
        {word}
      </span>
    </Tooltip>
  );
}
