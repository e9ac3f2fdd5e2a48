import { Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

import type { TermName } from '@/i18n/terms';

type Props = { name: TermName | undefined; children: ReactElement };

/** A control that is named by a term, as a tab is: its focus and the pointer show what the term means. */
export function Explained({ name, children }: Props) {
  const { t } = useTranslation('glossary');
  if (name === undefined) {
    return children;
  }
  return (
    <Tooltip label={t(`terms.${name}.text`)} multiline maw={340} openDelay={600}>
      {children}
    </Tooltip>
  );
}
