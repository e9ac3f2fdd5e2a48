import { Button, type ButtonProps } from '@mantine/core';
import { IconRouteAltLeft } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import type { Estate } from '@/contracts/api';
import type { DatabasePath } from '@/topology/selection';
import { formatSender } from '@/topology/what-if-address';

type Props = {
  estate: Estate;
  /** Who would send: a service of this database. */
  from?: DatabasePath & { service: string };
  /** Whom it would be sent to. */
  to?: string | null;
  /** The broker id that the dialog would name. */
  id?: string | null;
  /** What the link is called where it does not stand at one of the ends. */
  label?: string;
  size?: ButtonProps['size'];
};

/** Leads to the page that answers where a message would go, with one end of the question filled in. */
export function WhatIfLink({ estate, from, to = null, id = null, label, size }: Props) {
  const { t } = useTranslation('whatif');
  const asked = new URLSearchParams({
    ...(from === undefined ? {} : { from: formatSender({ ...from, to_service: '' }) }),
    ...(to === null ? {} : { to }),
    ...(id === null ? {} : { id }),
    ...(estate.change_set === null ? {} : { draft: String(estate.change_set.number) }),
  });
  return (
    <Button
      component={Link}
      variant="default"
      {...(size === undefined ? {} : { size })}
      leftSection={<IconRouteAltLeft size={14} />}
      to={`/estates/${encodeURIComponent(estate.name)}/whatif?${asked.toString()}`}
    >
      {label ?? (from === undefined ? t('link.to') : t('link.from'))}
    </Button>
  );
}
