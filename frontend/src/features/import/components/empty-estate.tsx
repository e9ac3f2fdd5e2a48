import { Modal, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSquarePlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { useMissingRight } from '@/hooks/use-rights';
import { asProblem } from '@/lib/errors';
import { keys } from '@/lib/query-client';

import { runImport } from '../api/import-run';
import classes from './import-wizard.module.css';

/** "Start empty": an estate of one instance with nothing of one's own in it. */
export function EmptyEstate({ onMade }: { onMade: (estate: string) => void }) {
  const { t } = useTranslation('import');
  const barred = useMissingRight('edit');
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure(false);
  const [estate, setEstate] = useState('my-estate');
  const [instance, setInstance] = useState('SERVER-1');
  const make = useMutation({
    mutationFn: async () => {
      await runImport(
        { estate, files: [{ name: 'empty.sql', text: `:CONNECT "${instance}"\n`, left_out: [] }], dry_run: false },
        () => undefined,
      );
      await queries.invalidateQueries({ queryKey: keys.estates });
    },
    onSuccess: () => {
      onMade(estate);
    },
  });
  const missing =
    estate === '' ? t('target.noName') : instance === '' || instance.includes('"') ? t('start.emptyInstance') : null;
  return (
    <>
      <GuardedButton
        barred={barred}
        size="sm"
        variant="default"
        leftSection={<IconSquarePlus size={17} />}
        onClick={open}
      >
        {t('start.empty')}
      </GuardedButton>
      <Modal opened={isOpen} onClose={close} title={t('start.empty')}>
        <form
          className={classes.target}
          onSubmit={(event) => {
            event.preventDefault();
            if (missing === null) {
              make.mutate();
            }
          }}
        >
          <p className={classes.hint}>{t('start.emptyText')}</p>
          <TextInput
            label={t('start.emptyName')}
            value={estate}
            onChange={(event) => {
              setEstate(event.currentTarget.value.trim());
            }}
          />
          <TextInput
            label={t('start.emptyInstance')}
            value={instance}
            onChange={(event) => {
              setInstance(event.currentTarget.value.trim());
            }}
          />
          {make.isError && <ProblemPanel problem={asProblem(make.error)} />}
          <GuardedButton type="submit" barred={missing} loading={make.isPending}>
            {t('start.emptyMake')}
          </GuardedButton>
        </form>
      </Modal>
    </>
  );
}
