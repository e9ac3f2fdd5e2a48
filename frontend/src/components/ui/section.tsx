import { useId, type ReactNode } from 'react';

import { Term } from '@/components/glossary/term';
import type { TermName } from '@/i18n/terms';

import classes from './section.module.css';

/** `term`: what the glossary has on it. `isOfPage`: it follows the heading of the page, not that of a panel. */
type SectionProps = { title: string; term?: TermName; aside?: ReactNode; isOfPage?: boolean; children: ReactNode };

/** A titled part of a side panel, or of a page. */
export function Section({ title, term, aside, isOfPage = false, children }: SectionProps) {
  const id = useId();
  const Heading = isOfPage ? 'h2' : 'h3';
  return (
    <section className={classes.section} aria-labelledby={id}>
      <div className={classes.head}>
        <Heading id={id}>{term === undefined ? title : <Term name={term}>{title}</Term>}</Heading>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** Label and value pairs. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

export function Fact({ label, term, children }: { label: string; term?: TermName; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{term === undefined ? label : <Term name={term}>{label}</Term>}</dt>
      <dd>{children}</dd>
    </div>
  );
}
