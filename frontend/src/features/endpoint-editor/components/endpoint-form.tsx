import { Button, Select } from '@mantine/core';
import { useState, type ReactNode } from 'react';

import { fieldMessage } from '@/components/ui/field-message';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { SideForm } from '@/components/ui/side-form';
import type { Endpoint } from '@/contracts/api';
import type { Problem } from '@/lib/errors';
import { levels, proofs, type EndpointFields, type Level, type Proof } from '@/topology/endpoint-clauses';

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

const algorithmChoices = ['AES', 'AES RC4', 'RC4 AES', 'RC4'].map((value) => ({ value, label: value.replace(' ', ' then ') }));

/** How an endpoint proves itself to its neighbours, and whether what they say to each other is encrypted. */
export function EndpointForm({ instance, endpoint, initial, problem, isBusy, notice, onSubmit, onCancel }: Props) {
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
      label={`Change the endpoint of ${instance}`}
      kind="Change endpoint"
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
            Save changes
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </>
      }
    >
      {notice}
      {problem !== null && refused === null && notice === null && <ProblemPanel problem={problem} />}
      <Select
        label="Authentication"
        description="Certificates are proved; for Windows the hosts of the estate vouch. The accepting end's order counts."
        data={proofs}
        value={fields.proof}
        allowDeselect={false}
        error={needsCertificate ? null : fieldMessage(undefined, at('authentication'))}
        onChange={(proof) => {
          setFields({ ...fields, proof: proof as Proof });
        }}
      />
      {needsCertificate && (
        <Select
          label="Certificate"
          description="A certificate of master with its private key, valid today. Neighbours need its public half."
          placeholder={endpoint.trust.usable_certificates.length === 0 ? 'master has none that could be used' : 'Choose one'}
          required
          data={[...new Set([...endpoint.trust.usable_certificates, ...(initial.certificate === '' ? [] : [initial.certificate])])]}
          value={fields.certificate === '' ? null : fields.certificate}
          allowDeselect={false}
          nothingFoundMessage="master has none that could be used"
          error={fieldMessage(isTried && isMissing ? noCertificate : undefined, at('authentication'))}
          onChange={(certificate) => {
            setFields({ ...fields, certificate: certificate ?? '' });
          }}
        />
      )}
      <Select
        label="Encryption"
        description="Disabled and required do not go together: then there is no connection."
        data={levels}
        value={fields.level}
        allowDeselect={false}
        error={fieldMessage(undefined, at('encryption'))}
        onChange={(level) => {
          setFields({ ...fields, level: level as Level });
        }}
      />
      {fields.level !== 'DISABLED' && (
        <Select
          label="Algorithm"
          description="RC4 is broken and never used; an endpoint that names nothing else agrees with nobody."
          data={algorithmChoices}
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

const noCertificate = {
  number: null,
  text: 'Choose a certificate. Without one: CREATE CERTIFICATE in master, then it is offered here.',
};
