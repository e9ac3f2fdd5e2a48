import { useEffect, useRef, type ReactNode } from 'react';

import classes from './page-heading.module.css';

/** A page's heading. It takes the focus when the page opens, so that screen readers start at the top of what is new. */
export function PageHeading({ children, takesFocus = false }: { children: ReactNode; takesFocus?: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) {
      heading.current?.focus();
    }
  }, [takesFocus]);
  return (
    <h1 ref={heading} tabIndex={takesFocus ? -1 : undefined} className={classes.heading}>
      {children}
    </h1>
  );
}
