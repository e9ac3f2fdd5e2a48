import { Button, FileButton, Textarea } from '@mantine/core';
import { IconFileText, IconUpload, IconX } from '@tabler/icons-react';
import { useState, type DragEvent } from 'react';

import { counted } from '@/topology/words';

import { readScripts, type ScriptFile } from '../read-files';
import classes from './import-wizard.module.css';

const pasted = 'pasted.sql';

type Props = { files: readonly ScriptFile[]; onChange: (files: ScriptFile[]) => void };

/** Scripts by file, by dropping them, or by pasting their text. */
export function ScriptInput({ files, onChange }: Props) {
  const [isOver, setIsOver] = useState(false);
  const text = files.find((file) => file.name === pasted)?.text ?? '';
  const others = files.filter((file) => file.name !== pasted);

  const add = async (chosen: Iterable<File>) => {
    const read = await readScripts(chosen);
    const names = new Set(read.map((file) => file.name));
    onChange([...files.filter((file) => !names.has(file.name)), ...read]);
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
        <FileButton multiple accept=".sql,.txt,text/plain" onChange={(chosen) => void add(chosen)}>
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconUpload size={15} />}>
              Choose files
            </Button>
          )}
        </FileButton>
        <span>or drop them here</span>
      </div>
      {others.length > 0 && (
        <ul className={classes.chosen}>
          {others.map((file) => (
            <li key={file.name}>
              <IconFileText size={15} />
              <span className={classes.mono}>{file.name}</span>
              <span className={classes.lines}>{counted(file.text.split('\n').length, 'line')}</span>
              {file.assumed !== undefined && (
                <span className={classes.assumed} title="The file does not say how it is encoded. Look at the letters with accents in the preview.">
                  Read as {file.assumed}
                </span>
              )}
              <Button
                variant="subtle"
                color="gray"
                size="compact-xs"
                aria-label={`Leave out ${file.name}`}
                onClick={() => {
                  onChange(files.filter((one) => one.name !== file.name));
                }}
              >
                <IconX size={14} />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Textarea
        label="Or paste T-SQL"
        autosize
        minRows={8}
        maxRows={22}
        spellCheck={false}
        placeholder={':CONNECT PARIS\nUSE Ventes;\nCREATE ROUTE …'}
        value={text}
        classNames={{ input: classes.mono ?? '' }}
        onChange={(event) => {
          const typed = event.currentTarget.value;
          onChange(typed === '' ? others : [...others, { name: pasted, text: typed }]);
        }}
      />
    </div>
  );
}
