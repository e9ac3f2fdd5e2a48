import { useEffect } from 'react';

/** Asks before the tab is closed or loaded anew, as long as something would be lost. */
export function useLeaveWarning(isNeeded: boolean, words: string): void {
  useEffect(() => {
    if (!isNeeded) {
      return;
    }
    const warn = (event: BeforeUnloadEvent) => {
      event.preventDefault();
      return words;
    };
    window.addEventListener('beforeunload', warn);
    return () => {
      window.removeEventListener('beforeunload', warn);
    };
  }, [isNeeded, words]);
}
