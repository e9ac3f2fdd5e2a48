import { Tooltip } from '@mantine/core';
import { cloneElement, useState, type PointerEvent, type ReactElement, type ReactNode } from 'react';

type Hoverable = { onPointerEnter?: (event: PointerEvent) => void; onPointerLeave?: (event: PointerEvent) => void };

type Props = { label: ReactNode; children: ReactElement<Hoverable> };

/** A tooltip that costs nothing until the pointer comes: a drawing has thousands of them, and one is looked at. */
export function Hint({ label, children }: Props) {
  const [isShown, setShown] = useState(false);
  const child = cloneElement(children, {
    onPointerEnter: () => {
      setShown(true);
    },
    onPointerLeave: () => {
      setShown(false);
    },
  });
  return isShown ? (
    <Tooltip label={label} opened multiline maw={420}>
      {child}
    </Tooltip>
  ) : (
    child
  );
}
