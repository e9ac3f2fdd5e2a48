import { IconAlertOctagonFilled, IconAlertTriangleFilled, IconInfoCircleFilled, type Icon } from '@tabler/icons-react';

import type { Severity } from '@/contracts/api';
import { numberText } from '@/i18n';
import { markWords, severityWord, type Mark } from '@/topology/findings';

import classes from './severity-sign.module.css';

const signs: Record<Severity, Icon> = {
  error: IconAlertOctagonFilled,
  warning: IconAlertTriangleFilled,
  info: IconInfoCircleFilled,
};

/** A severity's sign and, unless it stands elsewhere, its word. */
export function SeveritySign({
  severity,
  size = 16,
  hasWord = true,
}: {
  severity: Severity;
  size?: number;
  hasWord?: boolean;
}) {
  const Sign = signs[severity];
  return (
    <span className={classes.sign} data-severity={severity}>
      <Sign size={size} aria-hidden />
      {hasWord && <span className={classes.word}>{severityWord(severity)}</span>}
    </span>
  );
}

/** How many findings an object has. Its words belong into the name of what carries it. */
export function FindingMark({ mark, size = 15 }: { mark: Mark | undefined; size?: number }) {
  return (
    mark !== undefined && (
      <span className={classes.mark} data-severity={mark.severity} style={{ fontSize: size }} title={markWords(mark)}>
        <SeveritySign severity={mark.severity} size={size} hasWord={false} />
        {numberText(mark.count)}
      </span>
    )
  );
}
