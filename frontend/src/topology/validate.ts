// What can be said about a route's shape while it is typed. Only rules the server is certain to enforce stand here,
// under the server's own numbers, so the two never contradict each other; everything else the server decides.

import { i18n } from '@/i18n';

export type RouteFields = {
  name: string;
  serviceName: string;
  brokerInstance: string;
  address: string;
  mirrorAddress: string;
  /** Seconds; empty is "never expires". */
  lifetimeSeconds: string;
};

export type FieldProblem = { field: keyof RouteFields; number: number | null; text: string };

const nameLengthMax = 128;
const serviceNameLengthMax = 256;
const brokerInstanceLengthMax = 128;
const lifetimeSecondsMax = 2_147_483_647;
const portMax = 65_535;

const tcpAddress = /^tcp:\/\/(\[[^\]]+\]|[^\s:/[\]]+)(?::(\d+))?(?:\/.*)?$/i;

function keyword(address: string): 'LOCAL' | 'TRANSPORT' | null {
  const upper = address.toUpperCase();
  return upper === 'LOCAL' || upper === 'TRANSPORT' ? upper : null;
}

/** Problems of every field, at most one a field, in the order of the form. */
export function validateRoute(fields: RouteFields): FieldProblem[] {
  const problems = [
    nameProblem(fields.name),
    serviceProblem(fields),
    brokerProblem(fields),
    addressProblem(fields),
    mirrorProblem(fields),
    lifetimeProblem(fields.lifetimeSeconds),
  ];
  return problems.filter((problem) => problem !== null);
}

function nameProblem(name: string): FieldProblem | null {
  if (name.trim() === '') {
    return { field: 'name', number: null, text: i18n.t('topology:wrong.nameMissing') };
  }
  return name.length > nameLengthMax
    ? {
        field: 'name',
        number: null,
        text: i18n.t('topology:wrong.nameLong', { count: name.length, limit: nameLengthMax }),
      }
    : null;
}

function serviceProblem({ serviceName }: RouteFields): FieldProblem | null {
  return serviceName.length > serviceNameLengthMax
    ? {
        field: 'serviceName',
        number: 9660,
        text: i18n.t('topology:wrong.serviceLong', { limit: serviceNameLengthMax }),
      }
    : null;
}

function brokerProblem({ brokerInstance, serviceName }: RouteFields): FieldProblem | null {
  if (brokerInstance.length > brokerInstanceLengthMax) {
    return {
      field: 'brokerInstance',
      number: 9660,
      text: i18n.t('topology:wrong.brokerLong', { limit: brokerInstanceLengthMax }),
    };
  }
  return brokerInstance !== '' && serviceName === ''
    ? { field: 'brokerInstance', number: 9662, text: i18n.t('topology:wrong.brokerAlone') }
    : null;
}

function addressProblem({ address, serviceName, mirrorAddress }: RouteFields): FieldProblem | null {
  const word = keyword(address);
  if (address === '') {
    return { field: 'address', number: null, text: i18n.t('topology:wrong.addressMissing') };
  }
  if (word === null) {
    return tcpProblem('address', address);
  }
  if (mirrorAddress !== '') {
    return { field: 'address', number: 9743, text: i18n.t('topology:wrong.mirroredKeyword', { word }) };
  }
  return word === 'TRANSPORT' && serviceName !== ''
    ? { field: 'address', number: 9745, text: i18n.t('topology:wrong.transportNamed') }
    : null;
}

function mirrorProblem({ mirrorAddress, address, serviceName, brokerInstance }: RouteFields): FieldProblem | null {
  if (mirrorAddress === '') {
    return null;
  }
  const word = keyword(mirrorAddress);
  if (word !== null) {
    return { field: 'mirrorAddress', number: 9743, text: i18n.t('topology:wrong.mirrorKeyword', { word }) };
  }
  if (serviceName === '' || brokerInstance === '') {
    return {
      field: 'mirrorAddress',
      number: 9661,
      text: i18n.t('topology:wrong.mirrorAlone'),
    };
  }
  if (sameAddress(address, mirrorAddress)) {
    return { field: 'mirrorAddress', number: 9747, text: i18n.t('topology:wrong.mirrorSame') };
  }
  return tcpProblem('mirrorAddress', mirrorAddress);
}

function sameAddress(one: string, other: string): boolean {
  const bare = (text: string) => text.toLowerCase().replace(/\/$/, '');
  return bare(one) === bare(other);
}

function tcpProblem(field: 'address' | 'mirrorAddress', text: string): FieldProblem | null {
  if (text.length > serviceNameLengthMax) {
    return { field, number: 9660, text: i18n.t('topology:wrong.addressLong', { limit: serviceNameLengthMax }) };
  }
  const match = tcpAddress.exec(text);
  if (match === null) {
    return { field, number: 9744, text: i18n.t('topology:wrong.addressShape') };
  }
  const port = match[2];
  if (port === undefined) {
    return { field, number: 9744, text: i18n.t('topology:wrong.portMissing') };
  }
  return Number(port) < 1 || Number(port) > portMax
    ? { field, number: 9744, text: i18n.t('topology:wrong.portWrong', { port }) }
    : null;
}

function lifetimeProblem(lifetime: string): FieldProblem | null {
  if (lifetime === '') {
    return null;
  }
  const seconds = Number(lifetime);
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= lifetimeSecondsMax
    ? null
    : {
        field: 'lifetimeSeconds',
        number: 9746,
        text: i18n.t('topology:wrong.lifetime', { limit: lifetimeSecondsMax }),
      };
}
