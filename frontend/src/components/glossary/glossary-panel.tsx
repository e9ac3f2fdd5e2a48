import { Drawer, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { closeGlossary, useGlossary } from '@/hooks/use-glossary';
import { termNames, terms, type TermName } from '@/i18n/terms';
import { matches } from '@/topology/words';

import classes from './glossary.module.css';

/** Every term of the glossary beside the page, in the order of the language, to be searched. */
export function GlossaryPanel() {
  const { t } = useTranslation('glossary');
  const { isOpen, at } = useGlossary();
  return (
    <Drawer
      opened={isOpen}
      onClose={closeGlossary}
      position="right"
      size={440}
      title={t('open')}
      closeButtonProps={{ 'aria-label': t('close') }}
      classNames={{ title: classes.title ?? '' }}
    >
      <Terms at={at} />
    </Drawer>
  );
}

type Line = { name: TermName; term: string; text: string; sql: string | null };

function Terms({ at }: { at: TermName | null }) {
  const { t } = useTranslation('glossary');
  const [sought, setSought] = useState('');
  const lines = useLines();
  const found = lines.filter(({ term, text, sql }) => matches(sought, [term, text, sql ?? '']));
  return (
    <>
      <p className={classes.about}>{t('about')}</p>
      <TextInput
        type="search"
        size="sm"
        aria-label={t('find')}
        placeholder={t('find')}
        leftSection={<IconSearch size={15} />}
        value={sought}
        data-autofocus={at === null ? true : undefined}
        onChange={(event) => {
          setSought(event.currentTarget.value);
        }}
      />
      <p className={classes.count} role="status">
        {found.length === 0 ? t('none', { text: sought }) : t('count', { count: found.length })}
      </p>
      <dl className={classes.terms}>
        {found.map((line) => (
          <Definition key={line.name} line={line} isSought={line.name === at} />
        ))}
      </dl>
    </>
  );
}

/** In the order of the language, which puts accents and umlauts where its readers look for them. */
function useLines(): Line[] {
  const { t, i18n } = useTranslation('glossary');
  return useMemo(() => {
    const order = new Intl.Collator(i18n.language);
    return termNames
      .map((name) => ({ name, term: t(`terms.${name}.term`), text: t(`terms.${name}.text`), sql: terms[name] }))
      .sort((one, other) => order.compare(one.term, other.term));
  }, [t, i18n.language]);
}

/** The drawer gives the focus to the term that it was opened at, and so scrolls there. */
function Definition({ line: { term, text, sql }, isSought }: { line: Line; isSought: boolean }) {
  return (
    <div className={classes.line} data-sought={isSought}>
      <dt tabIndex={isSought ? -1 : undefined} data-autofocus={isSought ? true : undefined}>
        {term}
      </dt>
      <dd>
        {text}
        {sql !== null && <code className={classes.sql}>{sql}</code>}
      </dd>
    </div>
  );
}
