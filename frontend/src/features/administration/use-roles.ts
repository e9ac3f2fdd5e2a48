import { useTranslation } from 'react-i18next';

import type { Role } from '@/contracts/api';

const order: readonly Role[] = ['viewer', 'operator', 'editor', 'trainer', 'admin'];

/** The roles to choose from, weakest first. */
export function useRoles(): { value: Role; label: string }[] {
  const { t } = useTranslation('administration');
  return order.map((value) => ({ value, label: t(`roles.${value}`) }));
}
