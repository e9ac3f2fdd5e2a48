import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Hint } from '@/components/ui/hint';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import { numberText } from '@/i18n';
import type { Verdict } from '@/theme/tokens';

import classes from './grid.module.css';
import type { ViewQuery } from './use-view-query';

export type Choice = {
  value: string;
  label: string;
  /** What it means, on hover. */
  hint?: string | undefined;
  /** By the engine's own sums; null when nobody has told. */
  count: number | null;
  verdict?: Verdict | undefined;
};

export type Facet = {
  /** The parameter of the address. */
  name: string;
  label: string;
  choices: readonly Choice[];
  /** Whether several can be chosen at once. */
  isMany: boolean;
  /** Facets of which nothing can be chosen beside it. */
  excludes?: readonly string[];
};

/** Chips that narrow a view, each with how many there are whether it is chosen or not. */
export function Facets({ facets, query }: { facets: readonly Facet[]; query: ViewQuery }) {
  return facets.map((facet) => (
    <div key={facet.name} className={classes.facet} role="group" aria-label={facet.label}>
      {facet.choices.map((choice) => (
        <Chip key={choice.value} facet={facet} choice={choice} query={query} />
      ))}
    </div>
  ));
}

function Chip({ facet, choice, query }: { facet: Facet; choice: Choice; query: ViewQuery }) {
  const { t } = useTranslation('views');
  const chosen = query.chosen(facet.name);
  const isOn = chosen.includes(choice.value);
  const count = choice.count === null ? t('unknownCount') : numberText(choice.count);
  const toggle = () => {
    const others = facet.isMany ? chosen.filter((value) => value !== choice.value) : [];
    query.choose(facet.name, isOn ? others : [...others, choice.value], facet.excludes);
  };
  const chip = (
    <UnstyledButton className={classes.chip} aria-pressed={isOn} data-zero={choice.count === 0} onClick={toggle}>
      {choice.verdict !== undefined && choice.count !== 0 && <VerdictIcon verdict={choice.verdict} size={13} />}
      {choice.label}
      <span className={classes.count}>{count}</span>
    </UnstyledButton>
  );
  return choice.hint === undefined ? chip : <Hint label={choice.hint}>{chip}</Hint>;
}
