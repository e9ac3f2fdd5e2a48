import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { Hint } from '@/components/ui/hint';
import { partnerStates, type PartnerState } from '@/live/grid/mirror-pairs';
import type { Verdict } from '@/theme/tokens';

const verdicts: Partial<Record<PartnerState, Verdict>> = {
  PROBING: 'delayed',
  CONNECTED_PRINCIPAL: 'delivered',
  CONNECTED_MIRROR: 'mirror',
  DISCONNECTED: 'lost',
};

/** What is known of a partner, in a word; what that means, on hover. */
export function PartnerWord({ state }: { state: PartnerState }) {
  const { t } = useTranslation('views');
  return (
    <Hint label={`${state}: ${t(`mirrors.partner.${state}.meaning`)}`}>
      <span>
        <Badge verdict={verdicts[state]}>{t(`mirrors.partner.${state}.word`)}</Badge>
      </span>
    </Hint>
  );
}

/** A cell that holds the name of such a state. */
export function partnerCell(value: unknown) {
  const state = partnerStates.find((one) => one === value);
  return state === undefined ? null : <PartnerWord state={state} />;
}
