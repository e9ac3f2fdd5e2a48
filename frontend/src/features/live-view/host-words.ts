import type { InstanceHosting } from '@/contracts/api';
import { ageText } from '@/live/age';

/** Who hosts an instance, in a few words. */
export function hostWords(hosting: InstanceHosting): string {
  if (hosting.holder === null) {
    return 'on no worker';
  }
  const on = `on ${workerOf(hosting.holder)}`;
  return hosting.state === 'running' ? on : `${hosting.state} ${on}`;
}

/** What else its worker has said of it, a line each. */
export function hostFacts(hosting: InstanceHosting): string {
  const facts = [`Fencing number ${hosting.fence}`];
  if (hosting.failure !== '') {
    facts.push(hosting.failure);
  }
  if (hosting.transmission !== null) {
    const oldest = hosting.oldest_seconds === null ? '' : `, the oldest for ${ageText(hosting.oldest_seconds)}`;
    facts.push(`${hosting.transmission.toLocaleString('en')} messages to transmit${oldest}`);
  }
  if (hosting.worker_bytes !== null) {
    facts.push(`Memory of the worker ${Math.round(hosting.worker_bytes / 2 ** 20)} MiB`);
  }
  return facts.join('\n');
}

/** The worker's name, without its process and what tells its runs apart. */
function workerOf(holder: string): string {
  return holder.split('/', 1)[0] ?? holder;
}
