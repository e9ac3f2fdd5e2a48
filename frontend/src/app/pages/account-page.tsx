import { useTranslation } from 'react-i18next';

import { Page, PageBody } from '@/components/ui/page';
import { PasswordSection } from '@/features/account/components/password-section';
import { TokensSection } from '@/features/account/components/tokens-section';

import classes from './account-page.module.css';

/** One's own ways in: tokens of scripts and the password. */
export default function AccountPage() {
  const { t } = useTranslation('account');
  return (
    <Page heading={t('heading')}>
      <PageBody>
        <div className={classes.sections}>
          <TokensSection />
          <PasswordSection />
        </div>
      </PageBody>
    </Page>
  );
}
