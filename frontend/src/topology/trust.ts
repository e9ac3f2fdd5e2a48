// Certificates of an endpoint and of its neighbours: a verdict, and the sentence that explains it.
import type { KnownPeer, ShownCertificate } from '@/contracts/api';

export type TrustHealth = { verdict: 'delivered' | 'delayed' | 'error'; text: string };

const day = 86_400_000;

function days(milliseconds: number): string {
  const count = Math.max(1, Math.floor(milliseconds / day));
  return count === 1 ? '1 day' : `${count} days`;
}

/** How a certificate stands by its dates. */
export function validityHealth(validity: KnownPeer['validity'], expiresAt: string, now: number): TrustHealth {
  switch (validity) {
    case 'valid':
      return { verdict: 'delivered', text: 'Valid' };
    case 'expires-soon':
      return { verdict: 'delayed', text: `Expires in ${days(Date.parse(expiresAt) - now)}` };
    case 'expired':
      return { verdict: 'error', text: `Expired ${days(now - Date.parse(expiresAt))} ago` };
    case 'not-yet-valid':
      return { verdict: 'error', text: 'Not valid yet' };
  }
}

/** How the certificate stands that an endpoint shows; without a sound one nobody lets the instance in. */
export function certificateHealth(certificate: ShownCertificate, now: number): TrustHealth {
  if (certificate.hindrance === 'missing' || certificate.validity === null || certificate.expires_at === null) {
    return { verdict: 'error', text: '28036 · Not in master' };
  }
  if (certificate.hindrance === 'no-private-key') {
    return { verdict: 'error', text: '28036 · No private key that can be opened' };
  }
  return validityHealth(certificate.validity, certificate.expires_at, now);
}
