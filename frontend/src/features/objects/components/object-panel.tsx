import { Button, CloseButton, Skeleton } from '@mantine/core';
import { IconMapPin } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { SeveritySign } from '@/components/severity-sign';
import { Badge } from '@/components/ui/badge';
import { BreakableName } from '@/components/ui/breakable-name';
import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { Fact, Facts, Section } from '@/components/ui/section';
import { SqlSection } from '@/components/ui/sql-text';
import type { ObjectDetails, ObjectName } from '@/contracts/api';
import { useEdit } from '@/hooks/use-draft';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useFindingsAt } from '@/hooks/use-findings';
import { useMissingRight } from '@/hooks/use-rights';
import { editObjects } from '@/lib/api/objects-edit';
import { asProblem } from '@/lib/errors';
import { tellProblem } from '@/lib/notices';
import { fieldText, valueText } from '@/lib/object-values';
import { tellUndoable } from '@/lib/tell-undoable';
import { objectPlace } from '@/topology/object-words';
import { formatSelection } from '@/topology/selection';

import { objectQuery } from '../api/objects-read';
import { fieldsOf } from '../form-values';
import { isKind, kinds, type KindName } from '../kinds';
import { keyOf, selectionOf } from '../object-name';
import classes from './objects.module.css';
import panel from './object-panel.module.css';

type Props = { kind: KindName; object: ObjectName; draft: number | null; onEdit: () => void; onClose: () => void };

/**
 * One object beside its list: identity, definition, findings, who names it, T-SQL, history, and what can be done with
 * it.
 */
export function ObjectPanel({ kind, object, draft, onEdit, onClose }: Props) {
  const { t } = useTranslation('objects');
  const { name: estate } = useEstatePage();
  const { data, error } = useQuery(objectQuery(estate, kind, object, draft));
  return (
    <div className={panel.panel}>
      <header className={panel.head}>
        <div className={panel.kind}>
          {t(`kinds.${kind}.one`)}
          <CloseButton size="sm" aria-label={t('closeDetails')} onClick={onClose} />
        </div>
        <h2>
          <BreakableName>{object.name}</BreakableName>
        </h2>
        <p>{objectPlace({ instance: object.instance, database: object.database ?? null })}</p>
        {data !== undefined && (
          <div className={panel.badges}>
            {data.effect !== null && (
              <Badge verdict={data.effect === 'remove' ? 'lost' : undefined}>{t(data.effect)}</Badge>
            )}
            {data.is_expired && <Badge>{t('expiredSign')}</Badge>}
          </div>
        )}
      </header>
      <div className={panel.body}>
        {error !== null && data === undefined && <ProblemPanel problem={asProblem(error)} />}
        {error === null && data === undefined && (
          <Skeleton height={180} role="progressbar" aria-label={t('loading', { kind: object.name })} />
        )}
        {data !== undefined && <Parts kind={kind} data={data} />}
      </div>
      {data !== undefined && <Actions kind={kind} data={data} draft={draft} onEdit={onEdit} onGone={onClose} />}
    </div>
  );
}

function Parts({ kind, data }: { kind: KindName; data: ObjectDetails }) {
  const { t } = useTranslation('objects');
  const { name: estate } = useEstatePage();
  const findings = useFindingsAt(data).filter(
    ({ subject }) =>
      subject.instance === data.instance &&
      (subject.database ?? null) === data.database &&
      subject.name === data.name &&
      subject.kind.replaceAll(' ', '-').endsWith(kind),
  );
  const base = `/estates/${encodeURIComponent(estate)}`;
  return (
    <>
      <Section title={t('definition')}>
        <Facts>
          {Object.entries(data.fields).map(([name, value]) => (
            <Fact key={name} label={fieldText(name)}>
              {valueText(value)}
            </Fact>
          ))}
        </Facts>
      </Section>
      {findings.length > 0 && (
        <Section title={t('findings')}>
          <ul className={classes.users}>
            {findings.map(({ key, severity, title, text }) => (
              <li key={key}>
                <Link to={`${base}/findings?${new URLSearchParams({ finding: key }).toString()}`}>
                  <SeveritySign severity={severity} /> {title}. {text}
                </Link>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {data.used_by !== null && (
        <Section title={t('users', { count: data.used_by })}>
          {data.users.length === 0 && <p className={classes.note}>{t('nobody')}</p>}
          <ul className={classes.users}>
            {data.users.map((user) => (
              <li key={`${user.kind}/${keyOf(user)}`}>
                {isKind(user.kind) && (
                  <Link to={`${base}/objects/${user.kind}?${new URLSearchParams({ object: keyOf(user) }).toString()}`}>
                    {user.name}
                  </Link>
                )}{' '}
                <span className={classes.note}>
                  {isKind(user.kind) && t(`kinds.${user.kind}.one`)}, {objectPlace(user)}
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {data.tsql !== '' && <SqlSection text={data.tsql} />}
      <Section title={t('history')}>
        <Link to={`${base}/audit?${new URLSearchParams({ object: data.name }).toString()}`}>{t('allHistory')}</Link>
      </Section>
    </>
  );
}

function Actions({
  kind,
  data,
  draft,
  onEdit,
  onGone,
}: {
  kind: KindName;
  data: ObjectDetails;
  draft: number | null;
  onEdit: () => void;
  onGone: () => void;
}) {
  const { t } = useTranslation('objects');
  const estate = useEstatePage();
  const missing = useMissingRight('edit');
  const edit = useEdit();
  const object = { instance: data.instance, database: data.database, name: data.name };
  const drop = useMutation({
    mutationFn: () =>
      edit((into) =>
        editObjects(
          estate.name,
          kind,
          { action: 'drop', objects: [object], patch: {}, leave_refused: false, dry_run: false },
          into,
        ),
      ),
    onSuccess: ({ number }) => {
      tellUndoable(t('toldDrop', { count: 1 }), estate.name, number);
      onGone();
    },
    onError: tellProblem,
  });
  const select = new URLSearchParams({
    select: formatSelection(selectionOf(kind, object)),
    ...(draft === null ? {} : { draft: String(draft) }),
  });
  return (
    <footer className={panel.actions}>
      {data.effect !== 'remove' && fieldsOf(kind, 'alter').length > 0 && (
        <GuardedButton barred={missing} onClick={onEdit}>
          {t('edit')}
        </GuardedButton>
      )}
      <Button
        component={Link}
        variant="default"
        leftSection={<IconMapPin size={14} />}
        to={`/estates/${encodeURIComponent(estate.name)}/topology?${select.toString()}`}
      >
        {t('show')}
      </Button>
      {data.effect !== 'remove' && kinds[kind].canDrop && (
        <GuardedButton
          barred={missing}
          variant="default"
          color="red"
          loading={drop.isPending}
          onClick={() => {
            drop.mutate();
          }}
        >
          {t('drop')}
        </GuardedButton>
      )}
    </footer>
  );
}
