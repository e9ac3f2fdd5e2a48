import { CopyButton, Tooltip, UnstyledButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { BreakableName } from './breakable-name';
import classes from './copy-text.module.css';

type Props = {
  /** The whole text: shown on hover and copied. */
  value: string;
  /** What is shown, when that is shorter. */
  shown?: string;
  /** What it is, for the button's name. */
  what:
    | 'service name'
    | 'address'
    | 'mirror address'
    | 'partner address'
    | 'broker instance'
    | 'conversation handle'
    | 'token'
    | 'login link'
    | 'hash'
    | 'command';
};

/** A name, id or address in its own typeface that can be copied whole. */
export function CopyText({ value, shown = value, what }: Props) {
  const { t } = useTranslation(['components', 'common']);
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t('common:copied') : value} multiline maw={420}>
          <UnstyledButton className={classes.copy} onClick={copy} aria-label={t(`copyNamed.${what}`, { value })}>
            <span>
              <BreakableName>{shown}</BreakableName>
            </span>
            {copied ? <IconCheck size={13} /> : <IconCopy size={13} className={classes.sign} />}
          </UnstyledButton>
        </Tooltip>
      )}
    </CopyButton>
  );
}
