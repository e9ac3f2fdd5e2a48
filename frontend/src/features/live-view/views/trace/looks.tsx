import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { Hint } from '@/components/ui/hint';
import type { Cell } from '@/contracts/live-messages';
import { classOf, isFault, traceColumns } from '@/live/grid/trace';
import type { GridRow, Read } from '@/live/grid/rows';

import type { Look, Looks } from '../../frame/looks';
import { Value } from '../../frame/value';
import { instanceLook, textOf } from '../common';

const widths: Readonly<Record<string, number>> = {
  DatabaseName: 140,
  ObjectName: 150,
  TextData: 300,
  Error: 84,
  RoleName: 108,
  GUID: 118,
};
/** What an operator looks for first; the rest is there for who chooses it. */
const shown = [
  'DatabaseName',
  'RoleName',
  'ObjectName',
  'TextData',
  'Error',
  'BigintData1',
  'GUID',
  'TargetUserName',
  'TargetLoginName',
];

export function useTraceLooks(): Looks {
  const { t } = useTranslation('views');
  return useMemo(() => {
    const own = Object.fromEntries(
      traceColumns
        .filter(({ name }) => name !== 'StartTime')
        .toSorted((one, other) => placeOf(one.name) - placeOf(other.name))
        .map(({ name, type }): [string, Look] => [name, lookOf(name, type)]),
    );
    return {
      instance_name: { ...instanceLook(t), width: 104 },
      StartTime: { shape: 'moment', isSortable: true, width: 226 },
      EventSequence: { shape: 'text', isSortable: true, width: 116, cell: plain },
      EventClassName: {
        title: t('ours.eventClass'),
        width: 292,
        isSortable: true,
        cell: (_, row, read) => <ClassName row={row} read={read} />,
      },
      EventSubClassName: { title: t('ours.eventSubClass'), width: 228, shape: 'text' },
      EventClass: { shape: 'text', width: 92, cell: plain },
      EventSubClass: { shape: 'text', isHidden: true, cell: plain },
      ...own,
      columns: { title: t('ours.traceColumns'), width: 400, isHidden: true },
    };
  }, [t]);
}

function placeOf(name: string): number {
  return shown.includes(name) ? shown.indexOf(name) : shown.length;
}

function lookOf(name: string, type: string): Look {
  const shape = type === 'uniqueidentifier' ? 'id' : 'text';
  return {
    shape,
    isHidden: !shown.includes(name),
    ...(widths[name] === undefined ? {} : { width: widths[name] }),
    cell: (value) =>
      value === undefined ? (
        ''
      ) : typeof value === 'number' ? (
        String(value)
      ) : (
        <Value value={value} shape={shape} type={type} />
      ),
  };
}

/** A number that counts nothing is not grouped. */
function plain(value: Cell) {
  return typeof value === 'number' ? String(value) : undefined;
}

/** The vendor's name of the class; what such an event tells, on hover. */
export function ClassName({ row, read }: { row: GridRow; read: Read }) {
  const { t } = useTranslation('views');
  const number = classOf(row, read);
  const name = textOf(row, read, 'EventClassName');
  const word = isFault(number, read(row, 'columns')) ? <Badge verdict="error">{name}</Badge> : name;
  return number === null ? (
    word
  ) : (
    <Hint label={t(`trace.classes.${number}`)}>
      <span>{word}</span>
    </Hint>
  );
}
