import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { offerText } from '@/components/sql-console/store';
import { Page } from '@/components/ui/page';
import { SqlConsole } from '@/features/sql-console/components/sql-console';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter } from '@/hooks/use-view-state';

/** Statements typed as on the server itself, run in a session on one database. */
export default function SqlPage() {
  const { t } = useTranslation('sql');
  useOfferedScript();
  return (
    <Page heading={t('heading')} about={t('about')}>
      <SqlConsole />
    </Page>
  );
}

/** A script in the address is put into the editor, once: it is taken out of the address then. */
function useOfferedScript(): void {
  const { name } = useEstatePage();
  const [script, setScript] = useParameter('script', 'correction');
  // Before the editor is made: it begins with what is kept.
  useState(() => {
    if (script !== null) {
      offerText(name, script);
    }
  });
  useEffect(() => {
    if (script !== null) {
      setScript(null);
    }
  }, [script, setScript]);
}
