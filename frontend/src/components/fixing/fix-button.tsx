import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Finding } from '@/contracts/api';

import { FixDialog } from './fix-dialog';

/** Opens the preview of what would mend a finding. Who may only look may look at that too. */
export function FixButton({
  finding,
  isSmall = false,
}: {
  finding: Pick<Finding, 'key' | 'code' | 'title'>;
  isSmall?: boolean;
}) {
  const { t } = useTranslation('fixes');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        size={isSmall ? 'compact-xs' : 'xs'}
        variant="default"
        aria-label={isSmall ? t('previewOf', { title: finding.title }) : undefined}
        onClick={() => {
          setOpen(true);
        }}
      >
        {t('preview')}
      </Button>
      {isOpen && (
        <FixDialog
          finding={finding}
          onClose={() => {
            setOpen(false);
          }}
        />
      )}
    </>
  );
}
