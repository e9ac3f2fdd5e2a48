import type { InstanceHosting } from '@/contracts/api';
import { i18n } from '@/i18n';
import { ageText } from '@/live/age';

/** Who hosts an instance, in a few words. */
export function hostWords({ holder, state }: InstanceHosting): string {
  if (holder === null) {
    return i18n.t('live:host.nobody');
  }
  const worker = workerOf(holder);
  return state === 'running'
    ? i18n.t('live:host.running', { worker })
    : i18n.t('live:host.otherwise', { state, worker });
}

/** What else its worker has said of it, a line each. */
export function hostFacts(hosting: InstanceHosting): string {
  const facts = [i18n.t('live:host.fence', { number: String(hosting.fence) })];
  if (hosting.failure !== '') {
    facts.push(hosting.failure);
  }
  if (hosting.transmission !== null) {
    const count = hosting.transmission;
    facts.push(
      hosting.oldest_seconds === null
        ? i18n.t('live:host.transmission', { count })
        : i18n.t('live:host.transmissionOldest', { count, age: ageText(hosting.oldest_seconds) }),
    );
  }
  if (hosting.worker_bytes !== null) {
    facts.push(i18n.t('live:host.memory', { mebibytes: Math.round(hosting.worker_bytes / 2 ** 20) }));
  }
  return facts.join('\n');
}

/** The worker's name, without its process and what tells its runs apart. */
function workerOf(holder: string): string {
  return holder.split('/', 1)[0] ?? holder;
}
