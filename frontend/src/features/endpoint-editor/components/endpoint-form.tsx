import { Button, Select } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { fieldMessage } from '@/components/ui/field-message';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { SideForm } from '@/components/ui/side-form';
import type { Endpoint } from '@/contracts/api';
import type { Problem } from '@/lib/errors';
import { algorithmChoices, levelChoices, proofChoices, type EndpointFields } from '@/topology/endpoint-clauses';

type Props = {
  instance: string;
  endpoint: Endpoint;
  initial: EndpointFields;
  problem: Problem | null;
  isBusy: boolean;
  /** Shown above the fields: somebody else changed the estate meanwhile. */
  notice: ReactNode;
  onSubmit: (fields: EndpointFields) => void;
  onCancel: () => void;
};

const pointers: Readonly<Record<string, 'authentication' | 'encryption'>> = {
  '/authentication': 'authentication',
  '/encryption': 'encryption',
};

/** How an endpoint proves itself to its neighbours, and whether what they say to each other is encrypted. */
export function EndpointForm({ instance, endpoint, initial, problem, isBusy, notice, onSubmit, onCancel }: Props) {
  const { t } = useTranslation(['endpoint', 'common']);
  const [fields, setFields] = useState(initial);
  const [answeredFor, setAnsweredFor] = useState<EndpointFields | null>(null);
  const [isTried, setTried] = useState(false);
  const needsCertificate = fields.proof !== 'windows';
  const isMissing = needsCertificate && fields.certificate === '';
  const refused = pointers[problem?.pointer ?? ''] ?? null;
  // The server spoke of what it was sent; once that is edited, its words no longer fit.
  const isAnswered = answeredFor === fields;
  const at = (clause: 'authentication' | 'encryption') => (refused === clause && isAnswered ? problem : null);

  return (
    <SideForm
      label={t('label', { instance })}
      kind={t('kind')}
      name={endpoint.name}
      place={instance}
      onClose={onCancel}
      onSubmit={() => {
        setTried(true);
        if (!isMissing) {
          setAnsweredFor(fields);
          onSubmit(fields);
        }
      }}
      actions={
        <>
          <Button type="submit" loading={isBusy}>
            {t('save')}
          </Button>
          <Button variant="default" onClick={onCancel}>
            {t('common:cancel')}
          </Button>
        </>
      }
    >
      {notice}
      {problem !== null && refused === null && notice === null && <ProblemPanel problem={problem} />}
      <Select
        label={t('authentication')}
        description={t('authenticationHint')}
        data={proofChoices()}
        value={fields.proof}
        allowDeselect={false}
        error={needsCertificate ? null : fieldMessage(undefined, at('authentication'))}
        onChange={(proof) => {
          setFields({ ...fields, proof: proof ?? fields.proof });
        }}
      />
      {needsCertificate && (
        <Select
          label={t('certificate')}
          description={t('certificateHint')}
          placeholder={endpoint.trust.usable_certificates.length === 0 ? t('certificateNone') : t('certificateChoose')}
          required
          data={[
            ...new Set([
              ...endpoint.trust.usable_certificates,
              ...(initial.certificate === '' ? [] : [initial.certificate]),
            ]),
          ]}
          value={fields.certificate === '' ? null : fields.certificate}
          allowDeselect={false}
          nothingFoundMessage={t('certificateNone')}
          error={fieldMessage(
            isTried && isMissing ? { number: null, text: t('certificateMissing') } : undefined,
            at('authentication'),
          )}
          onChange={(certificate) => {
            setFields({ ...fields, certificate: certificate ?? '' });
          }}
        />
      )}
      <Select
        label={t('encryption')}
        description={t('encryptionHint')}
        data={levelChoices()}
        value={fields.level}
        allowDeselect={false}
        error={fieldMessage(undefined, at('encryption'))}
        onChange={(level) => {
          setFields({ ...fields, level: level ?? fields.level });
        }}
      />
      {fields.level !== 'DISABLED' && (
        <Select
          label={t('algorithm')}
          description={t('algorithmHint')}
          data={algorithmChoices()}
          value={fields.algorithms}
          allowDeselect={false}
          onChange={(algorithms) => {
            setFields({ ...fields, algorithms: algorithms ?? 'AES' });
          }}
        />
      )}
    </SideForm>
  );
}
