import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { Term } from '@/components/glossary/term';
import { SuggestInput } from '@/components/ui/suggest-input';
import type { Estate } from '@/contracts/api';
import { addressSuggestions, brokerSuggestions, serviceSuggestions } from '@/topology/suggestions';
import type { RouteFields } from '@/topology/validate';

import { LifetimeField } from './lifetime-field';

export type Clause = Exclude<keyof RouteFields, 'name'>;
type Bound = { value: string; error: ReactNode; onBlur?: () => void; onChange: (value: string) => void };

/** The clauses of CREATE ROUTE in the order in which a route is thought of: for whom, then where to, then how long. */
export function RouteClauseFields({ estate, bind }: { estate: Estate; bind: (clause: Clause) => Bound }) {
  const { t } = useTranslation('route');
  return (
    <>
      <SuggestInput
        label={t('service')}
        description={t('serviceHint')}
        placeholder="∗"
        suggestions={serviceSuggestions(estate)}
        {...bind('serviceName')}
      />
      <SuggestInput
        label={<Term name="brokerInstance">{t('broker')}</Term>}
        description={t('brokerHint')}
        placeholder={t('any')}
        suggestions={brokerSuggestions(estate, bind('serviceName').value)}
        {...bind('brokerInstance')}
      />
      <SuggestInput
        label={t('address')}
        description={t('addressHint')}
        required
        suggestions={addressSuggestions(estate, true)}
        {...bind('address')}
      />
      <SuggestInput
        label={<Term name="mirrorAddress">{t('mirror')}</Term>}
        description={t('mirrorHint')}
        placeholder={t('none')}
        suggestions={addressSuggestions(estate, false)}
        {...bind('mirrorAddress')}
      />
      <LifetimeField {...bind('lifetimeSeconds')} />
    </>
  );
}
