import { Button, Checkbox, Group, Select, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Assertion, Expected } from '@/contracts/api';
import { i18n } from '@/i18n';
import { changeAssertion } from '@/lib/api/assertions';
import { asProblem } from '@/lib/errors';
import { tellDone } from '@/lib/notices';

import { useRefresh } from '../use-assertions';
import { BothSides, conflictOf } from './both-sides';

type Props = { estate: string; assertion: Assertion; onDone: () => void };

export type Edited = Pick<Assertion, 'name' | 'note' | 'tags'> & { expected: Expected };

/** Name, note, tags, and which parts of the expectation are held. What somebody else changes meanwhile is shown beside. */
export function AssertionForm({ estate, assertion, onDone }: Props) {
  const { t } = useTranslation('assertions');
  const refresh = useRefresh(estate);
  // What was looked at when the form was opened: the list behind it may move on.
  const [base] = useState(assertion);
  const [mine, setMine] = useState<Edited>({
    name: base.name,
    note: base.note,
    tags: base.tags,
    expected: base.expected,
  });
  const save = useMutation({
    mutationFn: (version: number) =>
      changeAssertion(estate, base.id, { version, re_pin: false, ...changed(base, mine) }),
    onSuccess: ({ name }) => {
      onDone();
      tellDone(i18n.t('assertions:form.done', { name }));
    },
    onSettled: refresh,
  });
  const conflict = save.isError ? conflictOf(asProblem(save.error)) : null;
  const hold = (expected: Partial<Expected>) => {
    setMine({ ...mine, expected: { ...mine.expected, ...expected } });
  };
  const { expected } = mine;
  return (
    <form
      aria-label={t('form.label')}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(base.version);
      }}
    >
      <Stack gap={10}>
        <TextInput
          label={t('field.name')}
          value={mine.name}
          maxLength={200}
          required
          onChange={(event) => {
            setMine({ ...mine, name: event.currentTarget.value });
          }}
        />
        <Textarea
          label={t('field.note')}
          value={mine.note}
          maxLength={2000}
          autosize
          onChange={(event) => {
            setMine({ ...mine, note: event.currentTarget.value });
          }}
        />
        <TagsInput
          label={t('field.tags')}
          value={mine.tags}
          onChange={(tags) => {
            setMine({ ...mine, tags });
          }}
        />
        <Select
          label={t('field.works')}
          allowDeselect={false}
          value={worksOf(expected.works)}
          data={(['yes', 'no', 'any'] as const).map((value) => ({ value, label: t(`works.${value}`) }))}
          onChange={(value) => {
            hold({ works: value === 'any' ? null : value === 'yes' });
          }}
        />
        {(['disposition', 'reaches', 'path', 'number'] as const)
          .filter((part) => isHeld(base.expected, part))
          .map((part) => (
            <Checkbox
              key={part}
              label={t(`hold.${part}`)}
              checked={isHeld(expected, part)}
              onChange={(event) => {
                const none = part === 'reaches' ? [] : null;
                hold({ [part]: event.currentTarget.checked ? base.expected[part] : none });
              }}
            />
          ))}
        {save.isError &&
          (conflict === null ? (
            <ProblemPanel problem={asProblem(save.error)} />
          ) : (
            <BothSides
              mine={mine}
              conflict={conflict}
              isBusy={save.isPending}
              onMine={() => {
                save.mutate(conflict.version);
              }}
              onTheirs={onDone}
            />
          ))}
        <Group gap={8}>
          <Button variant="default" size="xs" onClick={onDone}>
            {t('form.cancel')}
          </Button>
          <Button type="submit" size="xs" loading={save.isPending} disabled={conflict !== null}>
            {t('form.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const worksOf = (works: boolean | null) => (works === null ? 'any' : works ? 'yes' : 'no');

function isHeld(expected: Expected, part: 'disposition' | 'reaches' | 'path' | 'number'): boolean {
  const value = expected[part];
  return Array.isArray(value) ? value.length > 0 : value !== null;
}

/** Only what is another value than it was: two people who change different fields do not meet. */
function changed(base: Assertion, mine: Edited): Partial<Edited> {
  const fields = ['name', 'note', 'tags', 'expected'] as const;
  const differing = fields.filter((field) => JSON.stringify(base[field]) !== JSON.stringify(mine[field]));
  return Object.fromEntries(differing.map((field) => [field, mine[field]]));
}
