import { Button, CopyButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { Fact, Facts, Section } from '@/components/ui/section';
import { useEstatePage } from '@/hooks/use-estate-page';
import { classOf, ofConversation, told, traceColumns } from '@/live/grid/trace';
import { plainText } from '@/live/grid/table-text';
import type { GridRow, Read } from '@/live/grid/rows';

import { Value } from '../../frame/value';
import { textOf } from '../common';
import classes from '../details.module.css';
import { ClassName } from './looks';

/** As the vendor names them. */
const [startTime, sequence] = ['StartTime', 'EventSequence'] as const;

type Props = { row: GridRow; read: Read };

/** What an event tells, the columns that its class fills, and the whole as it came. */
export function TraceDetails({ row, read }: Props) {
  const { t } = useTranslation('views');
  const number = classOf(row, read);
  const cells = told(row, read);
  const filled = traceColumns.filter(({ name }) => name !== startTime && cells[name] !== undefined);
  return (
    <>
      <Section title={t('trace.what')}>
        <p className={classes.text}>
          <ClassName row={row} read={read} />
          {textOf(row, read, 'EventSubClassName') !== '' && ` · ${textOf(row, read, 'EventSubClassName')}`}
        </p>
        {number !== null && <p className={classes.note}>{t(`trace.classes.${number}`)}</p>}
        <Facts>
          <Fact label={startTime}>
            <Value value={cells[startTime]} shape="moment" type="datetime" />
          </Fact>
          <Fact label={sequence}>{String(Number(read(row, sequence)))}</Fact>
        </Facts>
      </Section>
      <Section title={t('trace.filled')}>
        <Facts>
          {filled.map(({ name, type }) => (
            <Fact key={name} label={name}>
              {plainText(cells[name], type)}
            </Fact>
          ))}
        </Facts>
        <Links row={row} read={read} />
      </Section>
      <Section title={t('trace.raw')}>
        <Raw text={rawText(row, read)} />
      </Section>
    </>
  );
}

function Raw({ text }: { text: string }) {
  const { t } = useTranslation(['views', 'common']);
  return (
    <>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="default" onClick={copy}>
            {copied ? t('common:copied') : t('copy.shown')}
          </Button>
        )}
      </CopyButton>
      <pre className={classes.raw}>{text}</pre>
    </>
  );
}

/** All of it, as the API has it. */
function rawText(row: GridRow, read: Read): string {
  const names = [
    'instance_name',
    'EventSequence',
    'EventClass',
    'EventClassName',
    'EventSubClass',
    'EventSubClassName',
  ];
  const values = Object.fromEntries(names.map((name) => [name, read(row, name)]));
  return JSON.stringify({ ...values, columns: told(row, read) }, null, 2);
}

function Links({ row, read }: Props) {
  const { t } = useTranslation('views');
  const base = `/estates/${encodeURIComponent(useEstatePage().name)}/live`;
  const number = classOf(row, read);
  const { GUID: id } = told(row, read);
  return number === null || typeof id !== 'string' || !ofConversation.includes(number) ? null : (
    <ul className={classes.links}>
      <li>
        <Link to={`${base}/conversations?${new URLSearchParams({ text: id }).toString()}`}>{t('links.bothEnds')}</Link>
      </li>
      <li>
        <Link to={`${base}/trace?${new URLSearchParams({ text: id }).toString()}`}>{t('links.sameConversation')}</Link>
      </li>
    </ul>
  );
}
