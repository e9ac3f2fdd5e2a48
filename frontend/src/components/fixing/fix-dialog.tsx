import { Button, Modal, SegmentedControl, Select, Skeleton, Tabs } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';

import { FindingLines } from '@/components/finding-lines';
import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { SqlSection } from '@/components/ui/sql-text';
import type { Draft, Finding, FixAsked, FixPreview } from '@/contracts/api';
import { useEdit } from '@/hooks/use-draft';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useMissingRight } from '@/hooks/use-rights';
import { changeSetsQuery } from '@/lib/api/change-sets-list';
import { fixPreviewQuery, takeFix } from '@/lib/api/fix';
import { asProblem } from '@/lib/errors';
import { tellDone } from '@/lib/notices';

import classes from './fixing.module.css';
import { FixObjects } from './fix-objects';

type Scope = 'one' | 'kind';
type Target = Pick<Finding, 'key' | 'code' | 'title'>;

/** What would mend a finding, or all of its kind, looked at before it is taken into a draft. */
export function FixDialog({ finding, onClose }: { finding: Target; onClose: () => void }) {
  const { t } = useTranslation('fixes');
  const [scope, setScope] = useState<Scope>('one');
  const { change_set: shown } = useEstatePage();
  const [target, setTarget] = useState<Draft | null>(shown);
  const asked: FixAsked = scope === 'one' ? { key: finding.key } : { code: finding.code };
  return (
    <Modal
      opened
      onClose={onClose}
      size={860}
      title={t('heading', { code: finding.code, title: finding.title })}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <div className={classes.fix}>
        <SegmentedControl
          aria-label={t('scope.label')}
          value={scope}
          onChange={(value) => {
            setScope(value === 'kind' ? 'kind' : 'one');
          }}
          data={[
            { value: 'one', label: t('scope.one') },
            { value: 'kind', label: t('scope.kind', { code: finding.code }) },
          ]}
        />
        <TargetSelect target={target} onTarget={setTarget} />
        <Preview key={scope} asked={asked} target={target} title={finding.title} onClose={onClose} />
      </div>
    </Modal>
  );
}

const fresh = 'new';

/** The draft that the fix goes into: one that is open, so that several fixes are reviewed and applied together, or a new one. */
function TargetSelect({ target, onTarget }: { target: Draft | null; onTarget: (target: Draft | null) => void }) {
  const { t } = useTranslation('fixes');
  const { name } = useEstatePage();
  const { data } = useQuery(changeSetsQuery(name, 'open'));
  const open = data?.items ?? [];
  return (
    open.length > 0 && (
      <Select
        size="xs"
        label={t('target.label')}
        allowDeselect={false}
        data={[
          { value: fresh, label: t('target.fresh') },
          ...open.map(({ number, title }) => ({
            value: String(number),
            label: t('target.draft', { number, title: title === '' ? 'none' : title }),
          })),
        ]}
        value={target === null ? fresh : String(target.number)}
        onChange={(value) => {
          const chosen = open.find(({ number }) => String(number) === value);
          onTarget(chosen === undefined ? null : { number: chosen.number, sequence: chosen.sequence });
        }}
      />
    )
  );
}

type FixProps = { asked: FixAsked; target: Draft | null; title: string; onClose: () => void };

function Preview({ asked, target: draft, title, onClose }: FixProps) {
  const { name, revision } = useEstatePage();
  const take = useTake({ asked, target: draft, title, onClose });
  // Once it is taken the finding is gone from the draft, which is on view from then on.
  const isTaking = take.isPending || take.isSuccess;
  const { data, error, refetch } = useQuery({ ...fixPreviewQuery(name, revision, draft, asked), enabled: !isTaking });
  if (error !== null) {
    return <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />;
  }
  if (data === undefined) {
    return <Skeleton height={280} />;
  }
  return (
    <>
      <Outcome preview={data} />
      <Details preview={data} />
      <Take take={take} target={draft} onClose={onClose} />
    </>
  );
}

/**
 * How many findings go, how many stay, and what comes to light: fixes of faults that lie over each other show the next
 * one.
 */
function Outcome({ preview }: { preview: FixPreview }) {
  const { t } = useTranslation('fixes');
  const { change_set: draft, revision } = preview;
  return (
    <>
      <p className={classes.outcome} role="status">
        <strong>{t('mends', { mended: preview.mended, asked: preview.asked })}</strong>
        <span>{t('changes', { count: preview.object_count })}</span>
        {preview.gone > preview.mended && <span>{t('alsoGone', { count: preview.gone - preview.mended })}</span>}
        <span className={classes.on}>
          {draft === null ? t('onRevision', { revision }) : t('onDraft', { number: draft.number })}
        </span>
      </p>
      {preview.revealed_count > 0 && (
        <div className={classes.notice}>
          <p>{t('revealed', { count: preview.revealed_count })}</p>
          <FindingLines label={t('revealedLabel')} findings={preview.revealed} />
        </div>
      )}
      {preview.left_count > 0 && (
        <div className={classes.notice}>
          <p>{t('left', { count: preview.left_count })}</p>
          <FindingLines label={t('leftLabel')} findings={preview.left} />
        </div>
      )}
    </>
  );
}

function Details({ preview }: { preview: FixPreview }) {
  const { t } = useTranslation('fixes');
  const panel = { pt: 'sm', className: classes.panel ?? '', tabIndex: 0 } as const;
  return (
    <Tabs defaultValue="objects" keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="objects">{t('tabs.objects', { count: preview.object_count })}</Tabs.Tab>
        <Tabs.Tab value="script">{t('tabs.script')}</Tabs.Tab>
        <Tabs.Tab value="steps">{t('tabs.steps')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="objects" {...panel}>
        <FixObjects objects={preview.objects} count={preview.object_count} />
      </Tabs.Panel>
      <Tabs.Panel value="script" {...panel}>
        {preview.script.warnings.length > 0 && (
          <ul aria-label={t('warnings')}>
            {preview.script.warnings.map(({ line, detail }) => (
              <li key={line}>{t('warning', { line, detail })}</li>
            ))}
          </ul>
        )}
        <SqlSection text={preview.script.text} />
      </Tabs.Panel>
      <Tabs.Panel value="steps" {...panel}>
        {preview.steps.map(({ instance, steps }) => (
          <div key={instance}>
            <span className={classes.label}>{t('on', { instance })}</span>
            <ol className={classes.steps}>
              {steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </div>
        ))}
      </Tabs.Panel>
    </Tabs>
  );
}

function useTake({ asked, target, title, onClose }: FixProps) {
  const { t } = useTranslation('fixes');
  const { name } = useEstatePage();
  const navigate = useNavigate();
  const edit = useEdit();
  return useMutation({
    mutationFn: () => edit((base) => takeFix(name, base, asked), target, { title: t('title', { title }) }),
    onSuccess: ({ number }) => {
      onClose();
      tellDone(t('taken', { number }));
      void navigate(`/estates/${encodeURIComponent(name)}/changes/${number}`);
    },
  });
}

type TakeProps = { take: ReturnType<typeof useTake>; target: Draft | null; onClose: () => void };

function Take({ take, target: draft, onClose }: TakeProps) {
  const { t } = useTranslation('fixes');
  const missing = useMissingRight('edit');
  return (
    <>
      {take.isError && <ProblemPanel problem={asProblem(take.error)} onRetry={take.reset} />}
      <div className={classes.foot}>
        <p>{t('notLive')}</p>
        <Button variant="default" onClick={onClose}>
          {t('cancel')}
        </Button>
        <GuardedButton
          barred={missing}
          loading={take.isPending}
          onClick={() => {
            take.mutate();
          }}
        >
          {draft === null ? t('take') : t('takeInto', { number: draft.number })}
        </GuardedButton>
      </div>
    </>
  );
}
