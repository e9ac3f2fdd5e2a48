import { useTranslation } from 'react-i18next';

import { PageHeading } from '@/components/ui/page-heading';
import { PasswordSection } from '@/features/account/components/password-section';
import { TokensSection } from '@/features/account/components/tokens-section';

import classes from './account-page.module.css';

/** One's own ways in: tokens of scripts and the password. */
export default function AccountPage() {
  const { t } = useTranslation('account');
  return (
    <div className={classes.page}>
      <div className={classes.inside}>
        <PageHeading>{t('heading')}</PageHeading>
        <div className={classes.sections}>
          <TokensSection />
          <PasswordSection />
        </div>
      </div>
    </div>
  );
}
