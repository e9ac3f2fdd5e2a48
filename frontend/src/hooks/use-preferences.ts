import { useMantineColorScheme } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import type { Person, PreferencesPatch } from '@/contracts/api';
import { i18n, setLanguage } from '@/i18n';
import { preferencesSet } from '@/lib/api/preferences-set';
import { tellProblem } from '@/lib/notices';
import { keys } from '@/lib/query-client';
import { setTimeZone } from '@/lib/time';

/** Keeps language, time zone or theme with the account, so that the next browser has them too. */
export function useKeepPreference(): (choice: PreferencesPatch) => void {
  const queries = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: preferencesSet,
    onSuccess: (preferences) => {
      queries.setQueryData<Person>(keys.me, (person) => person && { ...person, preferences });
    },
    onError: tellProblem,
  });
  return mutate;
}

/**
 * Shows the page as the account has it, when somebody comes in. What they choose then is kept by who lets them choose.
 */
export function useAccountPreferences(person: Person | undefined): void {
  const { setColorScheme } = useMantineColorScheme();
  const username = person?.username;
  const preferences = person?.preferences;
  useEffect(() => {
    if (preferences === undefined) {
      return;
    }
    setTimeZone(preferences.time_zone);
    setColorScheme(preferences.theme);
    if (preferences.language !== null && preferences.language !== i18n.language) {
      void setLanguage(preferences.language);
    }
    // Only when somebody comes in: later changes were made here.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [username]);
}
