import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';

/** Elements that show the hint of a part of theirs: what else takes the focus holds more than one thing. */
const controls = ['a', 'button', 'td', 'th', '[role=button]', '[role=gridcell]'].join();

type Shown = { target: HTMLElement; label: string };

/**
 * What the pointer is shown, for people who come by keyboard: the `Hint` or the `title` of the element that
 * has the focus, or the only one within it. Escape takes it away. Mounted once, for the whole page.
 */
export function FocusHints() {
  const [shown, setShown] = useState<Shown | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const hide = () => {
      setShown(null);
    };
    document.addEventListener(
      'focusin',
      ({ target }) => {
        setShown(target instanceof HTMLElement ? hintOf(target) : null);
      },
      { signal },
    );
    document.addEventListener('focusout', hide, { signal });
    document.addEventListener('pointerdown', hide, { signal });
    document.addEventListener(
      'keydown',
      ({ key }) => {
        if (key === 'Escape') {
          hide();
        }
      },
      { signal },
    );
    return () => {
      controller.abort();
    };
  }, []);
  return shown && <Tooltip target={{ current: shown.target }} label={shown.label} opened multiline maw={420} />;
}

/** The hint of an element that has just got the focus; null where there is none, or it is what one reads anyway. */
function hintOf(focused: HTMLElement): Shown | null {
  if (!focused.matches(':focus-visible')) {
    return null;
  }
  const within = focused.matches(controls) ? [...focused.querySelectorAll<HTMLElement>('[data-hint], [title]')] : [];
  const target = textOf(focused) === '' && within.length === 1 ? within[0] : focused;
  const label = target === undefined ? '' : textOf(target);
  return target === undefined || label === '' || label === target.textContent.trim() ? null : { target, label };
}

function textOf({ dataset, title }: HTMLElement): string {
  return dataset.hint ?? title;
}
