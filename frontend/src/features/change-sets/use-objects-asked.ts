import { useParameter } from '@/hooks/use-view-state';
import type { ObjectsAsked } from '@/lib/api/change-set-read';

export const effects = ['add', 'change', 'remove'] as const;

/** A page that a browser draws at once, with the fields of each object. */
const rows = 100;

const text = (value: string | null) => (value === null || value === '' ? undefined : value);

/** Which objects of the change set are on view: the address bar says so. */
export function useObjectsAsked(): ObjectsAsked {
  const [kind] = useParameter('kind');
  const [instance] = useParameter('only');
  const [effect] = useParameter('effect');
  const [name] = useParameter('name');
  const [page] = useParameter('page');
  const asked = {
    kind: text(kind) as ObjectsAsked['kind'],
    instance: text(instance),
    effect: effects.find((known) => known === effect),
    text: text(name),
  };
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as ObjectsAsked;
  return { ...given, page: Math.max(1, Number.parseInt(page ?? '1', 10) || 1), rows };
}
