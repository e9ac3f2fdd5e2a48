import { Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Page } from '@/components/ui/page';
import { ChangeSetList } from '@/features/change-sets/components/change-set-list';
import { History } from '@/features/change-sets/components/history';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useTab } from '@/hooks/use-view-state';

import classes from './changes-page.module.css';

/** Drafts on their way to become live, and the revisions that did. */
export default function ChangesPage() {
  const { t } = useTranslation('shell');
  const { name } = useEstatePage();
  const [tab, setTab] = useTab(['drafts', 'history']);
  return (
    <Page heading={t('navigation.changes')}>
      <Tabs value={tab} onChange={setTab} keepMounted={false} className={classes.tabs ?? ''}>
        <Tabs.List px="lg">
          <Tabs.Tab value="drafts">{t('page.drafts')}</Tabs.Tab>
          <Tabs.Tab value="history">{t('page.revisions')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="drafts" data-bar className={classes.panel ?? ''}>
          <ChangeSetList estate={name} />
        </Tabs.Panel>
        <Tabs.Panel value="history" className={classes.panel ?? ''}>
          <History estate={name} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
