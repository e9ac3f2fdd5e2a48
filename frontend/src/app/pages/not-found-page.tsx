import { useTranslation } from 'react-i18next';
import { Link, useLocation, useParams } from 'react-router';

import { PageHeading } from '@/components/ui/page-heading';

import classes from './fault-page.module.css';

/** For an address that no page has: a link that is old, or mistyped. */
export default function NotFoundPage() {
  const { t } = useTranslation('shell');
  const { pathname } = useLocation();
  const { estate } = useParams();
  return (
    <div className={classes.page}>
      <PageHeading takesFocus>{t('notFound.heading')}</PageHeading>
      <p>{t('notFound.text', { address: pathname })}</p>
      <p>
        {estate === undefined ? (
          <Link to="/start">{t('page.start')}</Link>
        ) : (
          <Link to={`/estates/${encodeURIComponent(estate)}/overview`}>{t('notFound.overview', { estate })}</Link>
        )}
      </p>
    </div>
  );
}
