// Certificates of an endpoint and of its neighbours: a verdict, and the sentence that explains it.
import type { KnownPeer, ShownCertificate } from '@/contracts/api';
import { i18n } from '@/i18n';

export type TrustHealth = { verdict: 'delivered' | 'delayed' | 'error'; text: string };

const day = 86_400_000;

/** Whole days, at least one. */
function days(milliseconds: number): number {
  return Math.max(1, Math.floor(milliseconds / day));
}

/** How a certificate stands by its dates. */
export function validityHealth(validity: KnownPeer['validity'], expiresAt: string, now: number): TrustHealth {
  switch (validity) {
    case 'valid':
      return { verdict: 'delivered', text: i18n.t('topology:trust.valid') };
    case 'expires-soon':
      return {
        verdict: 'delayed',
        text: i18n.t('topology:trust.expiresSoon', { days: days(Date.parse(expiresAt) - now) }),
      };
    case 'expired':
      return { verdict: 'error', text: i18n.t('topology:trust.expired', { days: days(now - Date.parse(expiresAt)) }) };
    case 'not-yet-valid':
      return { verdict: 'error', text: i18n.t('topology:trust.notYet') };
  }
}

/** How the certificate stands that an endpoint shows; without a sound one nobody lets the instance in. */
export function certificateHealth(certificate: ShownCertificate, now: number): TrustHealth {
  if (certificate.hindrance === 'missing' || certificate.validity === null || certificate.expires_at === null) {
    return { verdict: 'error', text: i18n.t('topology:trust.missing') };
  }
  if (certificate.hindrance === 'no-private-key') {
    return { verdict: 'error', text: i18n.t('topology:trust.noPrivateKey') };
  }
  return validityHealth(certificate.validity, certificate.expires_at, now);
}
