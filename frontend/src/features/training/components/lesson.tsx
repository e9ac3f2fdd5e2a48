import { Button, CopyButton, Skeleton } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { Page, PageBody, PageProblem } from '@/components/ui/page';
import type { TrainingLessonBlock } from '@/contracts/api';
import { asProblem } from '@/lib/errors';

import { lessonQuery } from '../api/training';
import classes from './lesson.module.css';

/** A page that teaches one thing, in the reader's language. */
export function Lesson({ id }: { id: string }) {
  const { t } = useTranslation('training');
  const { data, error, refetch } = useQuery(lessonQuery(id));
  if (data === undefined) {
    return error === null ? (
      <Skeleton height={320} role="progressbar" aria-label={t('lesson.reading')} />
    ) : (
      <PageProblem problem={asProblem(error)} onRetry={() => void refetch()} />
    );
  }
  return (
    <Page
      heading={data.title}
      above={
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconArrowLeft size={15} />}
          component={Link}
          to="/training"
        >
          {t('report.back')}
        </Button>
      }
    >
      <PageBody>
        <article className={classes.lesson}>
          {data.blocks.map((block, at) => (
            <Block key={at} block={block} />
          ))}
        </article>
      </PageBody>
    </Page>
  );
}

function Block({ block: { kind, texts } }: { block: TrainingLessonBlock }) {
  switch (kind) {
    case 'heading':
      return <h2>{texts[0]}</h2>;
    case 'text':
      return (
        <p>
          <Marked text={texts[0] ?? ''} />
        </p>
      );
    case 'list':
      return (
        <ul>
          {texts.map((text) => (
            <li key={text}>
              <Marked text={text} />
            </li>
          ))}
        </ul>
      );
    case 'sql':
      return <Script text={texts.join('\n')} />;
  }
}

function Script({ text }: { text: string }) {
  const { t } = useTranslation('common');
  return (
    <div className={classes.script}>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button variant="subtle" color="gray" size="compact-xs" onClick={copy}>
            {copied ? t('copied') : t('copy')}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}

const mark = /`([^`]+)`|\*([^*]+)\*/g;

/** Text in which `code` and *emphasis* are marked; everything else is text, whatever it looks like. */
function Marked({ text }: { text: string }) {
  const found = [...text.matchAll(mark)];
  const ends = [0, ...found.map((each) => each.index + each[0].length)];
  return (
    <>
      {found.map((each, at) => (
        <span key={each.index}>
          {text.slice(ends[at], each.index)}
          {each[1] === undefined ? <em>{each[2]}</em> : <code>{each[1]}</code>}
        </span>
      ))}
      {text.slice(ends[found.length])}
    </>
  );
}
