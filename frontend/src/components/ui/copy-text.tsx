import { CopyButton, Tooltip, UnstyledButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

import { BreakableName } from './breakable-name';
import classes from './copy-text.module.css';

type Props = {
  /** The whole text: shown on hover and copied. */
  value: string;
  /** What is shown, when that is shorter. */
  shown?: string;
  /** What it is, for the button's name: "broker instance". */
  what: string;
};

/** A name, id or address in its own typeface that can be copied whole. */
export function CopyText({ value, shown = value, what }: Props) {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : value} multiline maw={420}>
          <UnstyledButton className={classes.copy} onClick={copy} aria-label={`Copy ${what} ${value}`}>
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
