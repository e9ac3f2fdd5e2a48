import { Button, CloseButton, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy, IconLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { WhatIf } from '@/contracts/api';
import { useSetParameters } from '@/hooks/use-view-state';

import { linkOf, sinceShared } from '../link';
import { ticketText } from '../ticket';
import classes from './what-if-panel.module.css';

/** The answer as a link that asks the same of the same again. */
export function CopyLink({ estate, whatIf }: { estate: string; whatIf: WhatIf }) {
  const { t } = useTranslation('trace');
  return (
    <CopyButton value={`${window.location.origin}${linkOf(estate, whatIf)}`} timeout={2000}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          size="xs"
          title={t('share.about')}
          leftSection={copied ? <IconCheck size={14} /> : <IconLink size={14} />}
          onClick={copy}
        >
          {copied ? t('share.copied') : t('share.copy')}
        </Button>
      )}
    </CopyButton>
  );
}

/** The answer as text, for a ticket. */
export function CopyTicket({ estate, whatIf }: { estate: string; whatIf: WhatIf }) {
  const { t } = useTranslation('trace');
  const text = ticketText(estate, whatIf, `${window.location.origin}${linkOf(estate, whatIf)}`);
  return (
    <CopyButton value={text} timeout={2000}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          size="xs"
          title={t('ticket.about')}
          leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          onClick={copy}
        >
          {copied ? t('share.copied') : t('ticket.copy')}
        </Button>
      )}
    </CopyButton>
  );
}

/** For whoever has opened a link: whether the answer is still the one that was there when the link was made. */
export function LinkNotice({ whatIf }: { whatIf: WhatIf }) {
  const { t } = useTranslation('trace');
  const [parameters] = useSearchParams();
  const set = useSetParameters();
  const found = sinceShared(parameters, whatIf);
  if (found === null) {
    return null;
  }
  const { basis } = whatIf;
  return (
    <div role="status" className={classes.caution} data-tone={found.isSame ? 'delivered' : 'delayed'}>
      <VerdictIcon verdict={found.isSame ? 'delivered' : 'delayed'} size={16} />
      <span>
        {found.isSame ? t('share.same') : t('share.differs')}{' '}
        {found.engine !== null && t('share.engine', { before: found.engine, now: basis.engine_version })}{' '}
        {!found.isSame && found.hasMoved && t('share.moved', { number: basis.change_set ?? 0 })}{' '}
        {!found.isSame && !found.hasMoved && found.engine === null && t('share.unexplained')}
      </span>
      <CloseButton
        size="sm"
        aria-label={t('share.close')}
        onClick={() => {
          set({ print: null, engine: null, sequence: null }, 'correction');
        }}
      />
    </div>
  );
}
