import { IconArrowsExchange, IconQuestionMark } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { Hint } from '@/components/ui/hint';
import type { Database } from '@/contracts/api';
import { useHiddenLayers } from '@/hooks/use-layers';
import { useLiveStore } from '@/lib/live-store';
import type { DatabasePath } from '@/topology/selection';

import classes from './mirror-role.module.css';

type Props = { path: DatabasePath; database: Database; partner: string };

/**
 * Half of a mirrored pair: P for the principal, M for the mirror. By definition alone while the overlay is hidden; with
 * it, what the database is now, and whether that is what was defined.
 */
export function MirrorRole({ path, database, partner }: Props) {
  const { t } = useTranslation(['canvas', 'overlay']);
  const isLive = !useHiddenLayers().has('live');
  const now = useLiveStore(({ live }) => {
    const known = live.instances[path.instance];
    const state = known?.view?.databases.find(({ name }) => name === path.database)?.state;
    return known === undefined
      ? 'untold'
      : known.unavailable !== null || !known.isCurrent || state === undefined
        ? 'unknown'
        : state === 'mirror'
          ? 'mirror'
          : 'principal';
  });
  const wanted = database.state === 'mirror' ? 'mirror' : 'principal';
  if (!isLive || now === 'untold') {
    return (
      <Hint label={wanted === 'mirror' ? t('node.mirror', { partner }) : t('node.principal', { partner })}>
        <span className={classes.role} data-role={wanted}>
          {wanted === 'mirror' ? 'M' : 'P'}
        </span>
      </Hint>
    );
  }
  const state = now === 'unknown' ? 'unknown' : now === wanted ? 'asWanted' : 'changed';
  return (
    <Hint label={t(`overlay:mirror.${state}`, { role: now, partner })}>
      <span className={classes.split} data-state={state}>
        <span data-on={now === 'principal'}>P</span>
        <span data-on={now === 'mirror'}>M</span>
        {state === 'changed' && <IconArrowsExchange size={14} />}
        {state === 'unknown' && <IconQuestionMark size={13} />}
      </span>
    </Hint>
  );
}
