import { Button } from '@mantine/core';
import { IconCopy, IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { BasisChip } from '@/components/what-if/basis-chip';
import type { TableAnswer, TableNote } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { linesText } from '@/live/grid/table-text';
import { copyTable } from '@/lib/copy-table';
import { tellDone, tellProblem } from '@/lib/notices';
import type { Fault } from '@/topology/faults';
import { whatIfAddress } from '@/topology/what-if-address';

import { questionOf } from '../../use-question';
import { columnTitle, linesOf } from '../cells';
import type { TableAsked } from '../use-table';
import classes from './questions.module.css';

type File = { name: string; read: () => Promise<Blob> } | { name: string; address: string };
type Props = { answer: TableAnswer; table: TableAsked; isOlder: boolean; file: File };

/** What the answer is about, how much it is, what it does not cover, and ways to take it along. */
export function AnswerTools({ answer, table, isOlder, file }: Props) {
  const { t } = useTranslation('tables');
  const estate = useEstatePage();
  const { reference, total, same } = answer;
  return (
    <div className={classes.tools}>
      <div className={classes.about}>
        <Basis about={answer.base} faults={table.asked.faults} isNamed={table.asked.revision !== null} />
        {reference !== null && (
          <>
            <span className={classes.quiet}>{t('comparedWith')}</span>
            <Basis
              about={reference}
              faults={table.against === 'sound' ? [] : table.asked.faults}
              isNamed={table.against.startsWith('revision')}
            />
          </>
        )}
        <span className={classes.count} role="status">
          {isOlder
            ? t('older')
            : reference === null
              ? t('rows', { count: total })
              : t('differences', { count: total, same: same ?? 0 })}
        </span>
        <span className={classes.spring} />
        <FlowLink estate={estate.name} answer={answer} table={table} />
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconCopy size={15} />}
          onClick={() => {
            const head = answer.columns.map(columnTitle);
            const lines = linesOf(answer);
            copyTable(linesText(reference === null ? head : [t('column.change'), ...head], lines)).then((isDone) => {
              tellDone(isDone ? t('copied', { count: lines.length }) : t('copyFailed'));
            }, tellProblem);
          }}
        >
          {answer.pages > 1 ? t('copyPage') : t('copy')}
        </Button>
        <Download file={file} />
      </div>
      {answer.notes.length > 0 && (
        <ul className={classes.notes} aria-label={t('notes')}>
          {answer.notes.map((note) => (
            <li key={note.kind + note.names.join()}>{noteText(note)}</li>
          ))}
        </ul>
      )}
    </div>
  );

  function noteText({ kind, count, names }: TableNote): string {
    return t(`note.${kind}`, { count: count ?? 0, names: names.join(', ') });
  }
}

type BasisProps = { about: TableAnswer['base']; faults: readonly Fault[]; isNamed: boolean };

function Basis({ about, faults, isNamed }: BasisProps) {
  const estate = useEstatePage();
  return (
    <BasisChip
      basis={{
        revision: about.revision,
        draft: about.change_set,
        isLive: about.change_set === null && !isNamed && about.revision === estate.revision,
        at: about.is_now ? null : Date.parse(about.at),
        faults,
      }}
    />
  );
}

/** Of a table about one flow: the page that shows it on the map. */
function FlowLink({ estate, answer, table }: { estate: string; answer: TableAnswer; table: TableAsked }) {
  const { t } = useTranslation('tables');
  const { asked } = table;
  const flow = questionOf(asked);
  const isOfFlow = !answer.columns.some(({ name }) => name === 'to_service');
  if (flow === null || !isOfFlow || !['route_trace', 'delivery_under_faults'].includes(answer.question)) {
    return null;
  }
  return (
    <Link className={classes.link} to={whatIfAddress(estate, flow, asked)}>
      {t('open.flow')}
    </Link>
  );
}

function Download({ file }: { file: File }) {
  const { t } = useTranslation('tables');
  const common = { size: 'compact-sm', variant: 'default', leftSection: <IconDownload size={15} /> } as const;
  if ('address' in file) {
    return (
      <Button component="a" href={file.address} download={file.name} {...common}>
        {t('download')}
      </Button>
    );
  }
  return (
    <Button
      {...common}
      onClick={() => {
        file.read().then((content) => {
          save(content, file.name);
        }, tellProblem);
      }}
    >
      {t('download')}
    </Button>
  );
}

/** Has the browser keep a file; it is let go of once that has begun. */
function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  window.setTimeout(() => {
    URL.revokeObjectURL(address);
  }, 10_000);
}
