// Which instances have what is wanted of them: told over the live connection, so that nobody reads the estate again for
// it.
import type { Estate, Instance } from '@/contracts/api';
import type { EstateFacts } from '@/contracts/live-messages';

/**
 * The estate with its instances as far as `told` says that they have come; as it was read when that was told of another
 * state.
 */
export function withProgress(estate: Estate, told: EstateFacts | null): Estate {
  if (told?.state !== estate.state) {
    return estate;
  }
  const instances = estate.instances.map((instance) => {
    const behind = told.behind.find(({ name }) => name === instance.name);
    return moved(instance, behind?.applied_revision ?? instance.desired_revision, behind?.apply_error ?? '');
  });
  return instances.every((instance, at) => instance === estate.instances[at]) ? estate : { ...estate, instances };
}

function moved(instance: Instance, revision: number, error: string): Instance {
  return instance.applied_revision === revision && instance.apply_error === error
    ? instance
    : { ...instance, applied_revision: revision, apply_error: error };
}
