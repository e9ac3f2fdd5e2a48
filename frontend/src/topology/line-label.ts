// What stands on a line of the drawing, and how much room it takes.
import type { Route } from '@/contracts/api';
import { i18n, numberText } from '@/i18n';

import { shortId, shortServiceName } from './words';

const sizes = {
  height: 26,
  perCharacter: 8.5,
  perLargeCharacter: 11.2,
  padding: 18,
  charactersMax: 17,
  briefCharactersMax: 14,
} as const;

export type RouteLabel = {
  service: string;
  /** The service in few and large letters, for where there is no room for more. */
  brief: string;
  id: string | null;
  width: number;
  height: number;
};

/** For all routes of a folded instance that lead to one place. */
export function bundleLabel(routes: number): RouteLabel {
  const service = i18n.t('common:routes', { count: routes });
  return {
    service,
    brief: numberText(routes),
    id: null,
    width: labelWidth(service.length),
    height: sizes.height,
  };
}

function labelWidth(characters: number): number {
  return Math.ceil(Math.max(2, characters) * sizes.perCharacter + sizes.padding);
}

export function routeLabel(route: Route): RouteLabel {
  const service = route.service_name === null ? '∗' : shortServiceName(route.service_name, sizes.charactersMax);
  const id = route.broker_instance === null ? null : shortId(route.broker_instance);
  const brief = shortServiceName(service.split('/').at(-1) ?? service, sizes.briefCharactersMax);
  const clock = route.expires_at === null ? 0 : 2;
  const characters = service.length + (id === null ? 0 : id.length + 1) + clock;
  return {
    service,
    brief,
    id,
    width: Math.ceil(
      Math.max(2 * sizes.perCharacter, characters * sizes.perCharacter, brief.length * sizes.perLargeCharacter) +
        sizes.padding,
    ),
    height: sizes.height,
  };
}
