import { Button, Checkbox, CopyButton, FileButton, Group, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { PageBody } from '@/components/ui/page';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { useMissingRight } from '@/hooks/use-rights';
import { i18n } from '@/i18n';
import { assertionFileAddress, takeAssertionFile } from '@/lib/api/assertions';
import { asProblem, type Problem } from '@/lib/errors';
import { tellDone } from '@/lib/notices';

import { useRefresh } from '../use-assertions';
import classes from './assertions.module.css';

/** What a pipeline runs; it exits with 1 when an assertion fails. */
const command = (estate: string) =>
  ['python', 'manage.py', 'assertions', 'run', `'${estate}'`, '--junit', 'assertions.xml'].join(' ');

/** Assertions as a file: taken away, brought back, and run where there is no browser. */
export function FilePart({ estate }: { estate: string }) {
  const { t } = useTranslation('assertions');
  const missing = useMissingRight('edit');
  const refresh = useRefresh(estate);
  const [text, setText] = useState('');
  const [replaces, setReplaces] = useState(false);
  const take = useMutation({
    mutationFn: () => takeAssertionFile(estate, text, replaces),
    onSuccess: ({ created, changed, unchanged, removed }) => {
      tellDone(i18n.t('assertions:file.done', { created, changed, unchanged, removed }));
    },
    onSettled: refresh,
  });
  return (
    <PageBody>
      <div className={classes.stack}>
        <h2>{t('file.away')}</h2>
        <Button component="a" href={assertionFileAddress(estate)} download="assertions.yaml" variant="default">
          {t('file.download')}
        </Button>
        <h2>{t('file.back')}</h2>
        <p className={classes.quiet}>{t('file.about')}</p>
        <FileButton
          accept=".yaml,.yml,application/yaml"
          onChange={(file) => {
            void file?.text().then(setText);
          }}
        >
          {(props) => (
            <Button variant="default" {...props}>
              {t('file.choose')}
            </Button>
          )}
        </FileButton>
        <Textarea
          label={t('file.text')}
          autosize
          minRows={6}
          maxRows={18}
          value={text}
          classNames={{ input: classes.mono ?? '' }}
          onChange={(event) => {
            setText(event.currentTarget.value);
          }}
        />
        <Checkbox
          label={t('file.replace')}
          checked={replaces}
          onChange={(event) => {
            setReplaces(event.currentTarget.checked);
          }}
        />
        {take.isError && <Mistakes problem={asProblem(take.error)} />}
        <GuardedButton
          barred={missing ?? (text.trim() === '' ? t('file.none') : null)}
          loading={take.isPending}
          onClick={() => {
            take.mutate();
          }}
        >
          {t('file.take')}
        </GuardedButton>
        <h2>{t('file.pipeline')}</h2>
        <Group gap={8}>
          <code className={classes.mono}>{command(estate)}</code>
          <CopyButton value={command(estate)}>
            {({ copied, copy }) => (
              <Button size="compact-xs" variant="default" onClick={copy}>
                {copied ? t('file.copied') : t('file.copy')}
              </Button>
            )}
          </CopyButton>
        </Group>
      </div>
    </PageBody>
  );
}

type Mistake = { line: number; column: number; text: string };

/** Why a file was not taken: every mistake with its place. */
function Mistakes({ problem }: { problem: Problem }) {
  const { t } = useTranslation('assertions');
  const mistakes = (problem.parameters?.mistakes ?? []) as Mistake[];
  return (
    <>
      <ProblemPanel problem={problem} />
      {mistakes.length > 0 && (
        <ol className={classes.mistakes}>
          {mistakes.map(({ line, column, text }) => (
            <li key={`${line}-${column}-${text}`}>
              <strong>{t('file.place', { line, column })}</strong> {text}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
