import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import type { ConversationState } from '@/live/instance-view';
import { useInstancesNow } from '@/hooks/use-now';
import { useAbsoluteTime } from '@/lib/time';
import { ageText, remainingText } from '@/live/age';
import { conversationStates, stateMeaning } from '@/live/states';
import type { Verdict } from '@/theme/tokens';
import { shortId } from '@/topology/words';

import classes from './cells.module.css';

/** How long ago an instant was, ticking; the instant itself on hover. */
export function Age({ at }: { at: number }) {
  const timeText = useAbsoluteTime();
  const now = useInstancesNow();
  return <span title={timeText(at * 1000)}>{ageText(now / 1000 - at)}</span>;
}

/** How long until an instant. */
export function Remaining({ until }: { until: number }) {
  const timeText = useAbsoluteTime();
  const now = useInstancesNow();
  const left = until - now / 1000;
  return <span title={left > 1_500_000_000 ? undefined : timeText(until * 1000)}>{remainingText(left)}</span>;
}

export function Mono({ children }: { children: string }) {
  return (
    <span className={classes.mono} title={children}>
      {children}
    </span>
  );
}

/** An id, shortened in the middle. What is not known yet says so instead of staying blank. */
export function Id({ value, unknown }: { value: string | null; unknown?: string }) {
  const { t } = useTranslation('live');
  return value === null ? (
    <span className={classes.unknown}>{unknown ?? t('cells.unknown')}</span>
  ) : (
    <span className={classes.mono} title={value}>
      {shortId(value)}
    </span>
  );
}

const verdicts: Partial<Record<ConversationState, Verdict>> = { CO: 'delivered', ER: 'error' };

export function State({ state }: { state: ConversationState }) {
  return (
    <Tooltip label={stateMeaning(state)} multiline maw={300}>
      <span>
        <Badge verdict={verdicts[state]}>
          {conversationStates[state]} · {state}
        </Badge>
      </span>
    </Tooltip>
  );
}

/** Why a message is still here: the number and its words. Empty means on its way, which is said in grey. */
export function TransmissionStatus({ number, text }: { number: number | null; text: string }) {
  const { t } = useTranslation('live');
  if (number === null) {
    return <span className={classes.unknown}>{text === '' ? t('cells.onItsWay') : text}</span>;
  }
  const words = text.startsWith(String(number)) ? text.slice(String(number).length).replace(/^[\s:·.-]+/, '') : text;
  return (
    <span className={classes.status} title={text}>
      <Badge verdict="delayed">{number}</Badge>
      <span className={classes.words}>{words}</span>
    </span>
  );
}
