import { Tooltip } from '@mantine/core';
import { cloneElement, useState, type PointerEvent, type ReactElement, type ReactNode } from 'react';

type Hoverable = { onPointerEnter?: (event: PointerEvent) => void; onPointerLeave?: (event: PointerEvent) => void };

type Props = { label: ReactNode; children: ReactElement<Hoverable> };

/**
 * A tooltip that costs nothing until the pointer comes: a drawing has thousands of them, and one is looked at. It
 * stands beside the element and not around it: an element that moved in the page between press and release would lose
 * the click.
 */
export function Hint({ label, children }: Props) {
  const [target, setTarget] = useState<HTMLElement | null>(null);
  return (
    <>
      {cloneElement(children, {
        onPointerEnter: ({ currentTarget }: PointerEvent) => {
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
