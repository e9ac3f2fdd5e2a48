import { Tooltip } from '@mantine/core';
import { cloneElement, useState, type ReactElement, type SyntheticEvent } from 'react';

type Hinted = {
  'data-hint'?: string;
  tabIndex?: number;
  onPointerEnter?: (event: SyntheticEvent) => void;
  onPointerLeave?: () => void;
};

type Props = {
  label: string;
  /** Whether the keyboard stops at the element for its hint alone: one that is no control, in nothing that is one. */
  isStop?: boolean;
  children: ReactElement<Hinted>;
};

/**
 * A tooltip that costs nothing until the pointer comes: a drawing has thousands of them, and one is looked at. It
 * stands beside the element and not around it: an element that moved in the page between press and release would lose
 * the click. By keyboard `FocusHints` shows it.
 */
export function Hint({ label, isStop = false, children }: Props) {
  const [target, setTarget] = useState<HTMLElement | null>(null);
  return (
    <>
      {cloneElement(children, {
        'data-hint': label,
        ...(isStop && { tabIndex: 0 }),
        onPointerEnter: ({ currentTarget }) => {
          setTarget(currentTarget as HTMLElement);
        },
        onPointerLeave: () => {
          setTarget(null);
        },
      })}
      {target !== null && <Tooltip target={{ current: target }} label={label} opened multiline maw={420} />}
    </>
  );
}
