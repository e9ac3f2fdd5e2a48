import { Button, type ButtonProps } from '@mantine/core';
import { IconSql } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { sqlAddress, type ScriptPlace } from '@/topology/sql-address';

type Props = {
  estate: string;
  place: ScriptPlace;
  /** What is in the editor then, to be changed and run. */
  script: string;
  /** What it does; that it changes what is selected, where it is not said. */
  label?: string;
  size?: ButtonProps['size'];
};

/** Leads to the T-SQL console, with the statement written: how definitions of a sandbox are changed. */
export function SqlLink({ estate, place, script, label, size }: Props) {
  const { t } = useTranslation('inspector');
  return (
    <Button
      component={Link}
      variant="default"
      {...(size === undefined ? {} : { size })}
      leftSection={<IconSql size={15} />}
      to={sqlAddress(estate, place, script)}
    >
      {label ?? t('sandbox.change')}
    </Button>
  );
}
