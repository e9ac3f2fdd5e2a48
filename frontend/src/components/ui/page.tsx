import type { ReactNode } from 'react';

import type { Problem } from '@/lib/errors';

import { PageHeading } from './page-heading';
import classes from './page.module.css';
import { ProblemPanel } from './problem-panel';

type PageProps = {
  heading: string;
  about?: string;
  /** The rooms of which the page is one. */
  above?: ReactNode;
  beside?: ReactNode;
  tools?: ReactNode;
  children: ReactNode;
};

/** A page under its heading: beside that a button, below it bars of tools, and what fills the rest. */
export function Page({ heading, about, above, beside, tools, children }: PageProps) {
  return (
    <div className={classes.page}>
      {above !== undefined && <div className={classes.above}>{above}</div>}
      <header className={classes.head}>
        <div>
          <PageHeading>{heading}</PageHeading>
          {about !== undefined && <p className={classes.about}>{about}</p>}
        </div>
        {beside}
      </header>
      {tools}
      <div className={classes.rest}>{children}</div>
    </div>
  );
}

/** The part of a page that has margins; tables reach to the edges without. */
export function PageBody({ children }: { children: ReactNode }) {
  return <div className={classes.body}>{children}</div>;
}

type ListProps = { bar?: ReactNode; foot?: ReactNode; children: ReactNode };

/** A list between its bar of filters and what stands below it. */
export function ListPart({ bar, foot, children }: ListProps) {
  return (
    <div className={classes.page}>
      {bar}
      <div className={classes.rest}>{children}</div>
      {foot}
    </div>
  );
}

/** The line below a list: what it shows, and the way to its other pages. */
export function ListFoot({ children }: { children: ReactNode }) {
  return <div className={classes.foot}>{children}</div>;
}

/** Filters and buttons above a list. */
export function ToolBar({ children, isSearch = false }: { children: ReactNode; isSearch?: boolean }) {
  return (
    <div className={classes.bar} role={isSearch ? 'search' : undefined}>
      {children}
    </div>
  );
}

/** How many there are, at the end of the filters; it is told when it changes. */
export function Count({ children }: { children: ReactNode }) {
  return (
    <span className={classes.count} role="status">
      {children}
    </span>
  );
}

/** What could not be read, in place of all that would stand there. */
export function PageProblem({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  return (
    <div className={classes.problem}>
      <ProblemPanel problem={problem} {...(onRetry === undefined ? {} : { onRetry })} />
    </div>
  );
}

type SplitProps = { label: string; details: ReactNode; children: ReactNode };

/** A list and, beside it or over its edge, all about what is chosen in it; `details` is null when nothing is. */
export function Split({ label, details, children }: SplitProps) {
  return (
    <div className={classes.split} data-details={details !== null}>
      {children}
      {details !== null && (
        <aside className={classes.aside} aria-label={label}>
          {details}
        </aside>
      )}
    </div>
  );
}
