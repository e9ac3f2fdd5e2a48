import { IconArrowNarrowRight } from '@tabler/icons-react';
import { VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Hint } from '@/components/ui/hint';
import { ObjectName } from '@/components/ui/object-name';
import type { FlowQuestion } from '@/contracts/api';
import { shortId, shortServiceName } from '@/topology/words';

import classes from './what-if.module.css';

const room = 34;

type Props = {
  flow: FlowQuestion;
  /** Characters that a service name may have before its middle gives way. */
  characters?: number;
  /** Whether it stands in a link, which has the focus for it. */
  isLinked?: boolean;
};

/** Who sends to whom: short, and whole under the pointer, with the focus and for screen readers. */
export function FlowName({ flow, characters = room, isLinked = false }: Props) {
  const { t } = useTranslation('whatif');
  const { instance, database, service, to_service: to, broker_instance: id } = flow;
  const whole = t('flow', { service, instance, database, to, id: id ?? '', named: id ? 'yes' : 'no' });
  return (
    <Hint label={whole} isStop={!isLinked}>
      <span className={classes.flow}>
        <VisuallyHidden>{whole}</VisuallyHidden>
        <span aria-hidden className={classes.end}>
          <span className={classes.place}>
            {instance} · {database}
          </span>
          <ObjectName>{shortServiceName(service, characters)}</ObjectName>
        </span>
        <IconArrowNarrowRight aria-hidden size={16} className={classes.arrow} />
        <span aria-hidden className={classes.end}>
          {id && <span className={classes.place}>{shortId(id)}</span>}
          <ObjectName>{shortServiceName(to, characters)}</ObjectName>
        </span>
      </span>
    </Hint>
  );
}
