import { Button, FileButton, Textarea, TextInput } from '@mantine/core';
import { IconFileText, IconUpload, IconX } from '@tabler/icons-react';
import { useState, type DragEvent } from 'react';
import { useTranslation } from 'react-i18next';

import { readScripts, type ScriptFile } from '../read-files';
import classes from './import-wizard.module.css';

const pasted = 'pasted.sql';

const example = ':CONNECT PARIS\nUSE Ventes;\nCREATE ROUTE …';

type Props = { files: readonly ScriptFile[]; onChange: (files: ScriptFile[]) => void };

/** Scripts by file, by dropping them, or by pasting their text. */
export function ScriptInput({ files, onChange }: Props) {
  const { t } = useTranslation('import');
  const [isOver, setIsOver] = useState(false);
  const text = files.find((file) => file.name === pasted)?.text ?? '';
  const others = files.filter((file) => file.name !== pasted);

  const add = async (chosen: Iterable<File>) => {
    const read = await readScripts(chosen);
    const names = new Set(read.map((file) => file.name));
    onChange([...files.filter((file) => !names.has(file.name)), ...read]);
  };
  const replace = (changed: ScriptFile) => {
    onChange(files.map((file) => (file.name === changed.name ? changed : file)));
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    void add(event.dataTransfer.files);
  };

  return (
    // Dropping files is a third way beside the button and the text field, which need no pointer.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className={classes.scripts}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => {
        setIsOver(false);
      }}
      onDrop={drop}
    >
      <div className={classes.files}>
        <FileButton
          multiple
          accept=".sql,.txt,.json,.rpt,.csv,text/plain,application/json"
          onChange={(chosen) => void add(chosen)}
        >
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconUpload size={15} />}>
              {t('files.choose')}
            </Button>
          )}
        </FileButton>
        <span>{t('files.drop')}</span>
      </div>
      {others.length > 0 && (
        <ul className={classes.chosen}>
          {others.map((file) => (
            <li key={file.name}>
              <IconFileText size={15} />
              <span className={classes.mono}>{file.name}</span>
              <span className={classes.lines}>{t('files.lines', { count: file.text.split('\n').length })}</span>
              {file.assumed !== undefined && (
                <span className={classes.assumed} title={t('files.assumedHint')}>
                  {t('files.assumed', { encoding: file.assumed })}
                </span>
              )}
              <Button
                variant="subtle"
                color="gray"
                size="compact-xs"
                aria-label={t('files.remove', { file: file.name })}
                onClick={() => {
                  onChange(files.filter((one) => one.name !== file.name));
                }}
              >
                <IconX size={14} />
              </Button>
              <Mapping file={file} onChange={replace} />
            </li>
          ))}
        </ul>
      )}
      <Textarea
        label={t('files.paste')}
        autosize
        minRows={8}
        maxRows={22}
        spellCheck={false}
        placeholder={example}
        value={text}
        classNames={{ input: classes.mono ?? '' }}
        onChange={(event) => {
          const typed = event.currentTarget.value;
          const known = files.find((file) => file.name === pasted);
          onChange(typed === '' ? others : [...others, { ...known, name: pasted, text: typed }]);
        }}
      />
      {files
        .filter((file) => file.name === pasted)
        .map((file) => (
          <Mapping key={file.name} file={file} onChange={replace} />
        ))}
    </div>
  );
}

/** Where a script begins that does not say :CONNECT or USE; what a collected server is called here. */
function Mapping({ file, onChange }: { file: ScriptFile; onChange: (file: ScriptFile) => void }) {
  const { t } = useTranslation('import');
  const isCollection = file.text.slice(0, 20_000).includes('service-broker-collection');
  const without = (value: string) => (value.trim() === '' ? undefined : value.trim());
  return (
    <div className={classes.mapping}>
      <TextInput
        size="xs"
        aria-label={t('files.instanceOf', { file: file.name })}
        label={t('files.instance')}
        placeholder={isCollection ? t('files.serverName') : t('files.withoutConnect')}
        value={file.instance ?? ''}
        onChange={(event) => {
          onChange({ ...file, instance: without(event.currentTarget.value) });
        }}
      />
      {!isCollection && (
        <TextInput
          size="xs"
          aria-label={t('files.databaseOf', { file: file.name })}
          label={t('files.database')}
          placeholder={t('files.withoutUse')}
          value={file.database ?? ''}
          onChange={(event) => {
            onChange({ ...file, database: without(event.currentTarget.value) });
          }}
        />
      )}
    </div>
  );
}
