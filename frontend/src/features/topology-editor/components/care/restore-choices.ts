// What a restore may do with the broker id and the conversations of a backup, and what follows from it (identity.md 4, 5).
import type { AttachOption, Backup, Estate } from '@/contracts/api';
import { databasesOfBroker, findInstance } from '@/topology/lookup';
import { counted, shortId } from '@/topology/words';

export type Choice = 'keep' | AttachOption | 'norecovery';

export const choiceWords: Record<Choice, { title: string; purpose: string }> = {
  ENABLE_BROKER: { title: 'Keep the id, broker on', purpose: 'Recover in place, at the same point as the peers (ENABLE_BROKER).' },
  ERROR_BROKER_CONVERSATIONS: {
    title: 'Keep the id, end every conversation with an error',
    purpose: 'Recover to an earlier point than the peers (ERROR_BROKER_CONVERSATIONS).',
  },
  NEW_BROKER: { title: 'New id', purpose: 'Make a copy for tests or development (NEW_BROKER).' },
  keep: { title: 'As it was saved', purpose: 'Look into a backup, or bring a database to another instance.' },
  norecovery: { title: 'Mirror copy', purpose: 'Set up a mirror copy, or bring it up to date (NORECOVERY).' },
};

export type Plan = { estate: Estate; backup: Backup; instance: string; database: string; choice: Choice };

/** The database of that name on the instance, which the restore would replace. */
export function replacedBy({ estate, instance, database }: Plan) {
  const wanted = database.toLowerCase();
  return findInstance(estate, instance)?.databases.find((one) => one.name.toLowerCase() === wanted) ?? null;
}

/** Whether the restore puts a database in the place of another one, with another broker id. */
export function replacesAnother(plan: Plan): boolean {
  const present = replacedBy(plan);
  return present !== null && present.broker_instance !== plan.backup.broker_instance;
}

/** Why the plan cannot be carried out at all; null when nothing is known against it. */
export function objection(plan: Plan): string | null {
  if (plan.database.trim() === '') {
    return 'Name the database.';
  }
  const present = replacedBy(plan);
  if (present !== null && present.partner_address !== null) {
    return `${present.name} on ${plan.instance} is mirrored: take its partner away first (3104).`;
  }
  return null;
}

/** What will be so afterwards, sentence by sentence. */
export function consequencesOf(plan: Plan): string[] {
  const { backup, instance, database, choice } = plan;
  const present = replacedBy(plan);
  const held = `${counted(backup.conversations, 'conversation')} and ${counted(backup.messages, 'message')}`;
  return [
    present === null
      ? `${instance} gets a database ${database} with the definitions of the backup.`
      : `${present.name} on ${instance} is replaced: what it has now is lost, and no peer is told.`,
    ...identity(plan, held),
    ...(choice === 'norecovery' ? [] : twins(plan)),
    'HONOR_BROKER_PRIORITY is off afterwards. Routes of msdb, the endpoint and logins are not part of a backup.',
  ];
}

function identity({ backup, database, choice }: Plan, held: string): string[] {
  const id = shortId(backup.broker_instance);
  switch (choice) {
    case 'keep':
      return [
        `It keeps the broker id ${id}, and its broker is ${backup.is_broker_enabled ? 'on' : 'off'}, as it was saved.`,
        `${held} come back and go on where they were.`,
      ];
    case 'ENABLE_BROKER':
      return [
        `It keeps the broker id ${id}, and its broker is on.`,
        `${held} come back and go on. Where peers have got further since, their sequence numbers no longer fit.`,
      ];
    case 'NEW_BROKER':
      return [
        `It gets a broker id of its own, and its broker is on: nothing that is meant for ${id} reaches it.`,
        `${counted(backup.conversations, 'conversation')} end in ${database} with an error; no peer is told.`,
      ];
    case 'ERROR_BROKER_CONVERSATIONS':
      return [
        `It keeps the broker id ${id}, and its broker is on.`,
        `${counted(backup.conversations, 'conversation')} end in ${database} with error -9719; their peers are told and end with -9720.`,
      ];
    case 'norecovery':
      return [
        `It keeps the broker id ${id} and becomes a mirror copy: it takes nothing in and sends nothing until it gets the role of the principal.`,
        `${held} are in it, as they were saved. Name its partner with SET PARTNER afterwards.`,
      ];
  }
}

/** One id twice: refused beside itself, unnoticed across instances. */
function twins(plan: Plan): string[] {
  if (plan.choice === 'NEW_BROKER') {
    return [];
  }
  const others = databasesOfBroker(plan.estate, plan.backup.broker_instance).filter(
    (one) => one.value.is_broker_enabled && !(one.instance === plan.instance && one.database === replacedBy(plan)?.name),
  );
  return others.map((one) =>
    one.instance === plan.instance
      ? `${one.database} on ${one.instance} is active under this id: the broker of ${plan.database} stays off (9773), whatever is chosen.`
      : `${one.database} on ${one.instance} has this id too. No server notices: messages may reach the wrong one.`,
  );
}
