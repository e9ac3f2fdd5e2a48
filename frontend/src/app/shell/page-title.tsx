import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';

import { isSandbox } from '@/topology/sandbox';

const pages = {
  account: 'page.account',
  administration: 'page.administration',
  analytics: 'navigation.analytics',
  assertions: 'navigation.assertions',
  audit: 'navigation.audit',
  changes: 'navigation.changes',
  console: 'navigation.console',
  export: 'navigation.export',
  faults: 'navigation.faults',
  findings: 'navigation.findings',
  import: 'navigation.import',
  live: 'navigation.live',
  objects: 'navigation.objects',
  overview: 'navigation.overview',
  sql: 'navigation.sql',
  start: 'page.start',
  topology: 'navigation.topology',
  traffic: 'navigation.traffic',
  training: 'navigation.training',
  whatif: 'navigation.whatIf',
} as const;

/** What tabs, history and bookmarks of the browser call the page: its name, what it is about, and the estate. */
export function PageTitle() {
  const { t } = useTranslation('shell');
  const [first = '', ...others] = useLocation().pathname.split('/').filter(Boolean).map(decoded);
  const [estate, page = '', detail] = first === 'estates' ? others : [undefined, first, others.at(-1)];
  const known = Object.entries(pages).find(([name]) => name === page)?.[1];
  const parts = [
    ...(known === undefined
      ? page === ''
        ? []
        : [t('notFound.heading')]
      : [detail === undefined ? t(known) : `${t(known)}: ${detail}`]),
    ...(estate === undefined ? [] : [isSandbox(estate) ? t('navigation.exercise') : estate]),
    'brokerweb',
  ];
  return <title>{parts.join(' · ')}</title>;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
