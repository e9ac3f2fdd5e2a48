import { Button, FileInput, Group, Modal, SegmentedControl, Select } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { useEstatePage } from '@/hooks/use-estate-page';
import { asProblem } from '@/lib/errors';
import { everyZone, utc } from '@/lib/time';

import { sendTrace, type TraceFile, type TraceWork } from '../api/lake';
import classes from './analytics.module.css';

type Props = { barred: string | null; isBusy: boolean; onBegun: (job: string) => void };

/** A trace of a real server, as Profiler and Extended Events export it, becomes events of an instance, or none any more. */
export function ImportTrace({ barred, isBusy, onBegun }: Props) {
  const { t } = useTranslation('analytics');
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
  };
  return (
    <>
      <GuardedButton
        barred={barred}
        variant="default"
        leftSection={<IconFileUpload size={16} />}
        loading={isBusy}
        onClick={() => {
          setOpen(true);
        }}
      >
        {t('import.open')}
      </GuardedButton>
      <Modal
        opened={isOpen}
        onClose={close}
        title={t('import.title')}
        size="lg"
        closeButtonProps={{ 'aria-label': t('import.close') }}
      >
        <Form
          onBegun={(job) => {
            close();
            onBegun(job);
          }}
        />
      </Modal>
    </>
  );
}

function Form({ onBegun }: Pick<Props, 'onBegun'>) {
  const { t } = useTranslation('analytics');
  const { name: estate, instances } = useEstatePage();
  const [file, setFile] = useState<File | null>(null);
  const [instance, setInstance] = useState<string | null>(null);
  const [zone, setZone] = useState(utc);
  const [work, setWork] = useState<TraceWork>('import');
  const begin = useMutation({
    mutationFn: (asked: TraceFile) => sendTrace(work, estate, asked),
    onSuccess: ({ id }) => {
      onBegun(id);
    },
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (file !== null && instance !== null) {
          begin.mutate({ file, instance, zone });
        }
      }}
    >
      <SegmentedControl
        aria-label={t('import.what')}
        value={work}
        onChange={(value) => {
          setWork(value === 'takeOut' ? 'takeOut' : 'import');
          begin.reset();
        }}
        data={[
          { value: 'import', label: t('import.takesIn') },
          { value: 'takeOut', label: t('import.takesOut') },
        ]}
      />
      <p className={classes.quiet}>{t(`${work}.about`)}</p>
      <FileInput
        label={t('import.file')}
        placeholder={t('import.choose')}
        accept=".csv,.txt,text/csv"
        clearable
        clearButtonProps={{ 'aria-label': t('import.clear') }}
        value={file}
        onChange={setFile}
      />
      <Select
        label={t('import.instance')}
        description={t('import.instanceAbout')}
        searchable
        data={instances.map(({ name }) => name)}
        value={instance}
        onChange={setInstance}
      />
      <Select
        label={t('import.zone')}
        description={t('import.zoneAbout')}
        searchable
        allowDeselect={false}
        data={[utc, ...everyZone()]}
        value={zone}
        onChange={(chosen) => {
          setZone(chosen ?? utc);
        }}
      />
      {begin.error !== null && <ProblemPanel problem={asProblem(begin.error)} />}
      <Group justify="flex-end">
        <Button
          type="submit"
          {...(work === 'takeOut' ? { color: 'red' } : {})}
          disabled={file === null || instance === null}
          loading={begin.isPending}
        >
          {t(`${work}.begin`)}
        </Button>
      </Group>
    </form>
  );
}
