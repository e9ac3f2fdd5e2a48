import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker, type Location } from 'react-router';

import type { Place } from './place-picker';
import { useLeaveWarning } from './use-leave-warning';

type Leaving = {
  /** Another database, at once or after the question. */
  choose: (place: Place) => void;
  /** What is to be asked now. */
  question: { onLeave: () => void; onStay: () => void } | null;
};

/**
 * Nobody loses a transaction by looking elsewhere: whoever leaves the page, by a link, the browser's buttons or its tab,
 * or chooses another database, is asked while one is open.
 */
export function useLeaving(isOpen: boolean, onPlace: (place: Place) => void): Leaving {
  const { t } = useTranslation('sql');
  const [asked, setAsked] = useState<Place | null>(null);
  const isAnswered = useRef(false);
  useEffect(() => {
    isAnswered.current = isAnswered.current && isOpen;
  }, [isOpen]);
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => isOpen && !isAnswered.current && leaves(currentLocation, nextLocation),
  );
  useLeaveWarning(isOpen, t('transaction.leave'));
  const choose = (place: Place) => {
    if (isOpen) {
      setAsked(place);
    } else {
      onPlace(place);
    }
  };
  if (blocker.state === 'blocked') {
    return { choose, question: { onLeave: blocker.proceed, onStay: blocker.reset } };
  }
  if (asked === null) {
    return { choose, question: null };
  }
  const onStay = () => {
    setAsked(null);
  };
  const onLeave = () => {
    setAsked(null);
    isAnswered.current = true;
    onPlace(asked);
  };
  return { choose, question: { onLeave, onStay } };
}

/** Whether the session does not outlive the way from one address to the other. */
function leaves(from: Location, to: Location): boolean {
  return from.pathname !== to.pathname || placeIn(from) !== placeIn(to);
}

function placeIn({ search }: Location): string {
  const parameters = new URLSearchParams(search);
  return JSON.stringify([parameters.get('instance'), parameters.get('database')]);
}
