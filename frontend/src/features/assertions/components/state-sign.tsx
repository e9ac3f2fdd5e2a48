import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import type { AssertionState } from '@/contracts/api';

const verdicts = { failed: 'lost', passed: 'delivered', 'never-run': 'unknown', disabled: undefined } as const;

/** How an assertion stands: colour, sign and word. */
export function StateSign({ state }: { state: AssertionState }) {
  const { t } = useTranslation('assertions');
  return <Badge verdict={verdicts[state]}>{t(`state.${state}`)}</Badge>;
}
