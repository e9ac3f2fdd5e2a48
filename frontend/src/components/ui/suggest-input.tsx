import { Autocomplete, type AutocompleteProps } from '@mantine/core';

import type { Suggestion } from '@/topology/suggestions';

import classes from './suggest-input.module.css';

type Props = Omit<AutocompleteProps, 'data' | 'renderOption'> & { suggestions: readonly Suggestion[] };

/** Free text with proposals from the estate, each with a note on where it comes from. */
export function SuggestInput({ suggestions, ...rest }: Props) {
  const notes = new Map(suggestions.map(({ value, note }) => [value, note]));
  return (
    <Autocomplete
      {...rest}
      data={suggestions.map(({ value }) => value)}
      limit={40}
      autoComplete="off"
      spellCheck={false}
      classNames={{ input: classes.input }}
      comboboxProps={{ shadow: 'md' }}
      renderOption={({ option }) => (
        <div className={classes.option}>
          <span className={classes.value}>{option.value}</span>
          <span className={classes.note}>{notes.get(option.value)}</span>
        </div>
      )}
    />
  );
}
