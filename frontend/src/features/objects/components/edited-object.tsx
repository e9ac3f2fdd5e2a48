import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import type { ObjectName } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { asProblem } from '@/lib/errors';

import { objectQuery } from '../api/objects-read';
import type { KindName } from '../kinds';
import { ObjectForm } from './object-form';

/** The form of an object, as soon as it is known what the object is. */
export function EditedObject({
  kind,
  object,
  draft,
  onClose,
}: {
  kind: KindName;
  object: ObjectName;
  draft: number | null;
  onClose: () => void;
}) {
  const { t } = useTranslation('objects');
  const { name: estate } = useEstatePage();
  const { data, error } = useQuery(objectQuery(estate, kind, object, draft));
  if (data === undefined) {
    return error === null ? (
      <Skeleton height={240} role="progressbar" aria-label={t('loading', { kind: object.name })} />
    ) : (
      <ProblemPanel problem={asProblem(error)} />
    );
  }
  return <ObjectForm kind={kind} existing={data} onCancel={onClose} onDone={onClose} />;
}
