import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { EmptyState } from '@/components/ui/empty-state';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useSandbox } from '@/hooks/use-sandbox';
import type { Forwarder } from '@/live/grid/forwarders';

import classes from './forwarded.module.css';

const statement = 'ALTER ENDPOINT … FOR SERVICE_BROKER (MESSAGE_FORWARDING = ENABLED, MESSAGE_FORWARD_SIZE = 10)';

/**
 * Nothing is on its way through: because it has all gone on, or because nobody forwards; then, how that is switched on.
 */
export function NothingInTransit({ all }: { all: readonly Forwarder[] }) {
  const { t } = useTranslation('views');
  const estate = useEstatePage();
  const sandbox = useSandbox();
  const base = `/estates/${encodeURIComponent(estate.name)}`;
  const names = all.filter(({ transit }) => transit?.is_enabled === true).map(({ source }) => source.instance);
  if (names.length > 0) {
    return <EmptyState>{t('forwarded.empty', { names: names.join(', ') })}</EmptyState>;
  }
  return (
    <EmptyState
      action={
        <div className={classes.empty}>
          <ol>
            {sandbox === null && <li>{t('forwarded.enable.draft')}</li>}
            <li>
              {t('forwarded.enable.endpoint')} <code>{statement}</code>
            </li>
            <li>{t('forwarded.enable.route')}</li>
            {sandbox === null && <li>{t('forwarded.enable.apply')}</li>}
          </ol>
          {sandbox === null && (
            <div className={classes.actions}>
              <Button component={Link} size="xs" variant="default" to={`${base}/changes`}>
                {t('forwarded.enable.toDrafts')}
              </Button>
              <Button component={Link} size="xs" variant="default" to={`${base}/objects/endpoint`}>
                {t('forwarded.enable.toEndpoints')}
              </Button>
            </div>
          )}
        </div>
      }
    >
      {t('forwarded.allOff')}
    </EmptyState>
  );
}
