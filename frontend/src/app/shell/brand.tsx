import { Link } from 'react-router';

import classes from './shell.module.css';

/** The name of the house: two endpoints, and what goes between them. */
export function Brand() {
  return (
    <Link to="/" className={classes.brand}>
      <svg width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2.2" aria-hidden>
        <rect x="2" y="3" width="8" height="8" rx="2" />
        <rect x="14" y="13" width="8" height="8" rx="2" />
        <path d="M10 7h4.5a3.5 3.5 0 0 1 3.5 3.5V13M14 17H9.5a3.5 3.5 0 0 1-3.5-3.5V11" />
      </svg>
      brokerweb
    </Link>
  );
}
