import { useLocalStorage } from '@mantine/hooks';
import { useEffect } from 'react';

const options = { key: 'brokerweb.last-estate', defaultValue: '' };

/** The estate that was open last, so that pages without one know the way back; null when there was none. */
export function useLastEstate(): string | null {
  const [name] = useLocalStorage(options);
  return name === '' ? null : name;
}

/** Null is not remembered. */
export function useRememberEstate(name: string | null): void {
  const [, remember] = useLocalStorage(options);
  useEffect(() => {
    if (name !== null) {
      remember(name);
    }
  }, [name, remember]);
}
