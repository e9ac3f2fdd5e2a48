import { i18n } from '@/i18n';
import type { TopologyChange } from '@/topology/changes';

/** What was done, for the notice that offers to take it back. */
export function sentence(change: TopologyChange): string {
  const place = `${change.scope.instance} · ${change.scope.database}`;
  switch (change.type) {
    case 'route-added':
      return i18n.t('route:added', { name: change.route.name, place });
    case 'route-replaced':
      return i18n.t('route:changed', { name: change.after.name, place });
    case 'route-removed':
      return i18n.t('route:deleted', { name: change.route.name, place });
  }
}
