import { useMemo } from 'react';
import { useSearchParams } from 'react-router';

import type { FlowQuestion, WhatIfBasis } from '@/contracts/api';
import { useDraftNumber } from '@/hooks/use-draft';
import { type ChangeKind, useSetParameters } from '@/hooks/use-view-state';
import { readFaults, type Fault } from '@/topology/faults';
import { flowParameters, parseSender } from '@/topology/what-if-address';
import { stages, start, type Position, type Stage } from '@/topology/what-if-steps';

import { isLeg } from './words';

type Sender = ReturnType<typeof parseSender>;

export type Asked = {
  sender: Sender;
  to: string;
  id: string;
  contract: string;
  type: string;
  /** ENCRYPTION of BEGIN DIALOG. */
  encryption: boolean;
  draft: number | null;
  revision: number | null;
  /** ISO 8601; null is now. */
  at: string | null;
  faults: Fault[];
  /** Parts of the link that name no failure we know. */
  unreadable: string[];
  /** Revision and instant of the link that are none, as they stand there. */
  ignored: string[];
};

/** What stands in the address: the question, and what it is asked of. */
export function useAsked(): Asked {
  const [parameters] = useSearchParams();
  const draft = useDraftNumber();
  return useMemo(() => {
    const { faults, unreadable } = readFaults(parameters.get('faults'));
    const revision = parameters.get('revision');
    const isRevision = revision === null || /^\d+$/.test(revision);
    const at = parameters.get('at');
    const instant = Date.parse(at ?? '');
    const isInstant = at === null || at === '' || !Number.isNaN(instant);
    return {
      sender: parseSender(parameters.get('from')),
      to: parameters.get('to') ?? '',
      id: parameters.get('id') ?? '',
      contract: parameters.get('contract') ?? '',
      type: parameters.get('type') ?? '',
      encryption: parameters.get('encryption') === 'on',
      draft,
      revision: draft === null && revision !== null && isRevision ? Number(revision) : null,
      at: Number.isNaN(instant) ? null : new Date(instant).toISOString(),
      faults,
      unreadable,
      ignored: [...(isRevision ? [] : [`revision=${revision}`]), ...(isInstant ? [] : [`at=${at}`])],
    };
  }, [parameters, draft]);
}

const guid = /^(?:[\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

/** Whether a broker id can be asked for: none is named, or a GUID. While one is typed it is not yet one. */
export function isBrokerId(id: string): boolean {
  return id === '' || guid.test(id.replace(/^\{(.*)\}$/, '$1'));
}

/** The question as the server takes it; null as long as it is none. */
export function questionOf({ sender, to, id, contract, type, encryption }: Asked): FlowQuestion | null {
  return sender === null || to === '' || !isBrokerId(id)
    ? null
    : {
        ...sender,
        to_service: to,
        broker_instance: orNull(id),
        contract: orNull(contract),
        message_type: orNull(type),
        encryption,
      };
}

const orNull = (text: string) => (text === '' ? null : text);

/** What it is asked of, in the words of the API. */
export function basisOf({ draft, revision, at, faults }: Asked): WhatIfBasis {
  return {
    change_set: draft,
    revision,
    at,
    faults: faults.map(({ kind, instance, other, database, queue }) => ({
      kind,
      instance,
      other: other ?? null,
      database: database ?? null,
      queue: queue ?? null,
    })),
  };
}

/** Parameters that tell how far one has read an answer, and how it was when its link was made. */
const read = { leg: null, way: null, hop: null, stage: null, why: null, side: null, select: null, pair: null };
/** Of a table: which page of it, and the job that has made it. */
const ofTable = { page: null, job: null };
const shared = { print: null, engine: null, sequence: null };

/** Asks something else: what has been read of the answer before is forgotten. */
export function useAsk() {
  const set = useSetParameters();
  return (values: Readonly<Record<string, string | null>>, kind?: ChangeKind) => {
    set({ ...read, ...shared, ...ofTable, ...values }, kind);
  };
}

/** The parameters of a question. */
export function questionParameters(question: FlowQuestion): Record<string, string | null> {
  return flowParameters(question);
}

/** How far one has read, as it stands in the address. */
export function usePosition(): [
  Position,
  (position: Position, others?: Readonly<Record<string, string | null>>) => void,
] {
  const [parameters] = useSearchParams();
  const set = useSetParameters();
  const leg = parameters.get('leg');
  const stage = parameters.get('stage');
  const position: Position = {
    leg: leg !== null && isLeg(leg) ? leg : start.leg,
    way: whole(parameters.get('way')) ?? 0,
    hop: whole(parameters.get('hop')),
    stage: (stages as readonly string[]).includes(stage ?? '') ? (stage as Stage) : null,
  };
  return [
    position,
    (next, others = {}) => {
      const values = {
        leg: next.leg === start.leg ? null : next.leg,
        way: next.way === 0 ? null : String(next.way),
        hop: next.hop === null ? null : String(next.hop),
        stage: next.stage,
        why: null,
        ...others,
      };
      // Playing an answer, or stepping through it, is one thing to undo.
      set(values, 'run');
    },
  ];
}

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,3}$/.test(text) ? Number(text) : null;
}
