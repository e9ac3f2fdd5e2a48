import { Tooltip } from '@mantine/core';
import { cloneElement, useState, type ReactElement, type ReactNode, type SyntheticEvent } from 'react';

type Shows = (event: SyntheticEvent) => void;
type Hoverable = { onPointerEnter?: Shows; onPointerLeave?: Shows; onFocus?: Shows; onBlur?: Shows };

type Props = { label: ReactNode; children: ReactElement<Hoverable> };

/**
 * A tooltip that costs nothing until the pointer or the keyboard comes: a drawing has thousands of them, and one is looked at. It
 * stands beside the element and not around it: an element that moved in the page between press and release would lose
 * the click.
 */
export function Hint({ label, children }: Props) {
  const [target, setTarget] = useState<HTMLElement | null>(null);
  const show = ({ currentTarget }: SyntheticEvent) => {
    setTarget(currentTarget as HTMLElement);
  };
  const hide = () => {
    setTarget(null);
  };
  return (
    <>
      {cloneElement(children, { onPointerEnter: show, onPointerLeave: hide, onFocus: show, onBlur: hide })}
      {target !== null && <Tooltip target={{ current: target }} label={label} opened multiline maw={420} />}
    </>
  );
}
