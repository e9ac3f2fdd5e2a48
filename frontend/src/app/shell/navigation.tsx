import { IconActivityHeartbeat, IconFileImport, IconGitPullRequestDraft, IconHistory, IconListCheck, IconSitemap, IconTerminal2 } from '@tabler/icons-react';
import { NavLink } from 'react-router';

import classes from './shell.module.css';

/** Where one can go from here; what needs an estate is there only when one is open. */
export function Navigation({ estate, draft = null }: { estate: string | null; draft?: number | null }) {
  const base = estate === null ? null : `/estates/${encodeURIComponent(estate)}`;
  const places = [
    ...(base === null
      ? []
      : [
          { to: `${base}/topology${draft === null ? '' : `?draft=${draft}`}`, word: 'Topology', sign: IconSitemap },
          { to: `${base}/changes`, word: 'Changes', sign: IconGitPullRequestDraft },
          { to: `${base}/console`, word: 'Console', sign: IconTerminal2 },
          { to: `${base}/live`, word: 'Live', sign: IconActivityHeartbeat },
          { to: `${base}/findings`, word: 'Findings', sign: IconListCheck },
          { to: `${base}/audit`, word: 'Audit', sign: IconHistory },
        ]),
    { to: '/import', word: 'Import', sign: IconFileImport },
  ];
  return (
    <nav className={classes.nav} aria-label="Main">
      {places.map(({ to, word, sign: Sign }) => (
        <NavLink key={to} to={to} className={classes.link ?? ''}>
          <Sign size={21} stroke={1.7} />
          {word}
        </NavLink>
      ))}
    </nav>
  );
}
