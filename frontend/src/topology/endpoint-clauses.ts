// AUTHENTICATION and ENCRYPTION of an endpoint: as T-SQL writes them, and as the fields of a form.
import type { Endpoint } from '@/contracts/api';
import { i18n } from '@/i18n';

export type Proof = 'windows' | 'certificate' | 'certificate-first' | 'windows-first';
export type Level = 'REQUIRED' | 'SUPPORTED' | 'DISABLED';

export type EndpointFields = {
  proof: Proof;
  /** Empty while none is chosen. */
  certificate: string;
  level: Level;
  /** "AES", "RC4", "AES RC4" or "RC4 AES". */
  algorithms: string;
};

export type EndpointClauses = { authentication: string; encryption: string };

/** Which of Windows' protocols the clause names is kept as it is: here all of them are the same. */
function windowsOf(clause: string): string {
  return (
    /WINDOWS(?: (?:NTLM|KERBEROS|NEGOTIATE))?(?= CERTIFICATE|$)/.exec(withoutNames(clause))?.[0] ?? 'WINDOWS NEGOTIATE'
  );
}

function withoutNames(clause: string): string {
  return clause.replace(/ \[(?:[^\]]|\]\])*\]/g, '');
}

function proofOf(clause: string): Proof {
  const words = withoutNames(clause);
  if (!words.includes('CERTIFICATE')) {
    return 'windows';
  }
  if (!words.includes('WINDOWS')) {
    return 'certificate';
  }
  return words.startsWith('CERTIFICATE') ? 'certificate-first' : 'windows-first';
}

/** The certificate that a clause names; empty when it names none. */
export function certificateOf(clause: string): string {
  const name = /CERTIFICATE \[((?:[^\]]|\]\])*)\]/.exec(clause)?.[1];
  return name?.replaceAll(']]', ']') ?? '';
}

export function fieldsOfEndpoint(endpoint: EndpointClauses): EndpointFields {
  const [level = 'REQUIRED', ...words] = endpoint.encryption.split(' ');
  const algorithms = words.filter((word) => word !== 'ALGORITHM').join(' ');
  return {
    proof: proofOf(endpoint.authentication),
    certificate: certificateOf(endpoint.authentication),
    level: level as Level,
    algorithms: algorithms === '' ? 'AES' : algorithms,
  };
}

/** The clauses that a form's fields say; `before` lends the words that the form does not show. */
export function clausesOfEndpoint(fields: EndpointFields, before: EndpointClauses): EndpointClauses {
  const windows = windowsOf(before.authentication);
  const certificate = `CERTIFICATE [${fields.certificate.replaceAll(']', ']]')}]`;
  const authentication = {
    windows,
    certificate,
    'certificate-first': `${certificate} ${windows}`,
    'windows-first': `${windows} ${certificate}`,
  }[fields.proof];
  return {
    authentication,
    encryption: fields.level === 'DISABLED' ? 'DISABLED' : `${fields.level} ALGORITHM ${fields.algorithms}`,
  };
}

/** Only the clauses that differ. */
export function patchOfEndpoint(fields: EndpointFields, before: EndpointClauses): Partial<EndpointClauses> {
  const after = clausesOfEndpoint(fields, before);
  const began = clausesOfEndpoint(fieldsOfEndpoint(before), before);
  return {
    ...(after.authentication !== began.authentication && { authentication: after.authentication }),
    ...(after.encryption !== began.encryption && { encryption: after.encryption }),
  };
}

const allProofs: readonly Proof[] = ['windows', 'certificate', 'certificate-first', 'windows-first'];
const allLevels: readonly Level[] = ['REQUIRED', 'SUPPORTED', 'DISABLED'];
const allAlgorithms = ['AES', 'AES RC4', 'RC4 AES', 'RC4'] as const;

export type Choice<Value extends string> = { value: Value; label: string };

export function proofChoices(): Choice<Proof>[] {
  return allProofs.map((value) => ({ value, label: i18n.t(`topology:proof.${value}`) }));
}

export function levelChoices(): Choice<Level>[] {
  return allLevels.map((value) => ({ value, label: i18n.t(`topology:level.${value}`) }));
}

export function algorithmChoices(): Choice<string>[] {
  return allAlgorithms.map((value) => ({ value, label: algorithmWords(value) }));
}

function algorithmWords(algorithms: string): string {
  const [first = '', second] = algorithms.split(' ');
  return second === undefined ? first : i18n.t('topology:algorithms', { first, second });
}

export function authenticationWords(endpoint: Endpoint): string {
  return i18n.t(`topology:proof.${proofOf(endpoint.authentication)}`);
}

export function encryptionWords(endpoint: Endpoint): string {
  const { level, algorithms } = fieldsOfEndpoint(endpoint);
  return level === 'DISABLED'
    ? i18n.t('topology:level.DISABLED')
    : i18n.t(`topology:levelWith.${level}`, { algorithms: algorithmWords(algorithms) });
}
