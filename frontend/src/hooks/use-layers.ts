import { useMemo } from 'react';

import { isLayer, layers, type Hidden, type Layer } from '@/topology/layers';

import { useKeepPreference } from './use-preferences';
import { usePerson } from './use-rights';
import { useParameter } from './use-view-state';

/** In the address: nothing is hidden, whatever the account says. */
const none = 'none';

/** The layers that are left out: those of the address, else those that the account keeps. */
export function useHiddenLayers(): Hidden {
  const [text] = useParameter('hide');
  const kept = usePerson().preferences.hidden_layers;
  return useMemo(() => new Set(text === null ? kept : text.split('.').filter(isLayer)), [text, kept]);
}

/** The same, and how to hide and show them. A choice stands in the address and is kept with the account. */
export function useLayers() {
  const hidden = useHiddenLayers();
  const [, setText] = useParameter('hide');
  const keep = useKeepPreference();
  const hide = (chosen: (layer: Layer) => boolean) => {
    const names = layers.filter(chosen);
    setText(names.length === 0 ? none : names.join('.'));
    keep({ hidden_layers: names });
  };
  return {
    hidden,
    turn: (turned: Layer) => {
      hide((layer) => hidden.has(layer) !== (layer === turned));
    },
    showAll: () => {
      hide(() => false);
    },
  };
}
