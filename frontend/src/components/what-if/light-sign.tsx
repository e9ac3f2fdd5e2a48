import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import type { Disposition, FlowChange, Light } from '@/contracts/api';

import classes from './what-if.module.css';
import { dispositionKey, verdictOfChange, verdictOfDisposition, verdictOfLight } from './words';

/** A light of a leg or of a whole flow: colour, sign and word, and in a sentence what it means. */
export function LightSign({ light }: { light: Light }) {
  const { t } = useTranslation('whatif');
  return (
    <Tooltip label={t(`light.${light}.about`)} multiline maw={320}>
      <span className={classes.sign}>
        <Badge verdict={verdictOfLight(light)}>{t(`light.${light}.word`)}</Badge>
      </span>
    </Tooltip>
  );
}

/** How a message ends. The number beside it, if there is one, tells a missing route from other delays. */
export function DispositionSign({ disposition, number = null }: { disposition: Disposition; number?: number | null }) {
  const { t } = useTranslation('whatif');
  const key = dispositionKey(disposition, number);
  return (
    <Tooltip label={t(`disposition.${key}.about`)} multiline maw={360}>
      <span className={classes.sign}>
        <Badge verdict={verdictOfDisposition(disposition)}>{t(`disposition.${key}.word`)}</Badge>
      </span>
    </Tooltip>
  );
}

/** What becomes of a flow between two states. */
export function ChangeSign({ change }: { change: FlowChange }) {
  const { t } = useTranslation('whatif');
  return (
    <Tooltip label={t(`change.${change}.about`)} multiline maw={320}>
      <span className={classes.sign}>
        <Badge verdict={verdictOfChange(change)}>{t(`change.${change}.word`)}</Badge>
      </span>
    </Tooltip>
  );
}
