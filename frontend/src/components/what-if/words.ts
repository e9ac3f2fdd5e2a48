// What stands for each end, light and change: one sign and one name everywhere.
import type { Disposition, FlowChange, Light } from '@/contracts/api';
import { i18n } from '@/i18n';
import type { Verdict } from '@/theme/tokens';

const ofDisposition: Record<Disposition, Verdict> = {
  delivered: 'delivered',
  'held-queue-off': 'delayed',
  delayed: 'lost',
  asking: 'delayed',
  'sender-down': 'unknown',
  'not-begun': 'error',
  'nobody-there': 'lost',
  unreachable: 'lost',
  'nobody-claims': 'lost',
  discarded: 'lost',
  refused: 'error',
  'refused-unheard': 'error',
  loop: 'error',
  'hops-used-up': 'error',
};

const ofLight: Record<Light, Verdict> = { green: 'delivered', amber: 'delayed', red: 'lost', grey: 'unknown' };

const ofChange: Record<FlowChange, Verdict | undefined> = {
  lost: 'lost',
  moved: 'forwarded',
  gained: 'delivered',
  unchanged: undefined,
};

export function verdictOfDisposition(disposition: Disposition): Verdict {
  return ofDisposition[disposition];
}

export function verdictOfLight(light: Light): Verdict {
  return ofLight[light];
}

/** Nothing for what has not changed. */
export function verdictOfChange(change: FlowChange): Verdict | undefined {
  return ofChange[change];
}

/** SQL Server's number for a message whose database has no route to the service. */
const noRoute = 9750;

/** What a message is called that ended so: one that is delayed for want of a route is said to have none. */
export function dispositionKey(disposition: Disposition, number: number | null): Disposition | 'no-route' {
  return disposition === 'delayed' && number === noRoute ? 'no-route' : disposition;
}

/** `No route`, `Delivered`. */
export function dispositionWord(disposition: Disposition, number: number | null = null): string {
  return i18n.t(`whatif:disposition.${dispositionKey(disposition, number)}.word`);
}
