import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import classes from './objects.module.css';

/** Which page is shown, and the way to the next. */
export function Pager({ page, pages, onPage }: { page: number; pages: number; onPage: (page: number) => void }) {
  const { t } = useTranslation('objects');
  return (
    <nav className={classes.pager} aria-label={t('page', { page, pages })}>
      <ActionIcon
        variant="default"
        aria-label={t('previous')}
        disabled={page <= 1}
        onClick={() => {
          onPage(page - 1);
        }}
      >
        <IconChevronLeft size={16} />
      </ActionIcon>
      <span>{t('page', { page, pages })}</span>
      <ActionIcon
        variant="default"
        aria-label={t('next')}
        disabled={page >= pages}
        onClick={() => {
          onPage(page + 1);
        }}
      >
        <IconChevronRight size={16} />
      </ActionIcon>
    </nav>
  );
}
