// What a restore may do with the broker id and the conversations of a backup, and what follows from it (identity.md 4,
// 5).
import type { AttachOption, Backup, Estate } from '@/contracts/api';
import { i18n } from '@/i18n';
import { databasesOfBroker, findInstance } from '@/topology/lookup';
import { shortId } from '@/topology/words';

export type Choice = 'keep' | AttachOption | 'norecovery';

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
    return i18n.t('care:restore.nameIt');
  }
  const present = replacedBy(plan);
  if (present !== null && present.partner_address !== null) {
    return i18n.t('care:restore.mirrored', { name: present.name, instance: plan.instance });
  }
  return null;
}

/** What will be so afterwards, sentence by sentence. */
export function consequencesOf(plan: Plan): string[] {
  const { instance, database, choice } = plan;
  const present = replacedBy(plan);
  return [
    present === null
      ? i18n.t('care:restore.gets', { instance, database })
      : i18n.t('care:restore.replaced', { name: present.name, instance }),
    ...identity(plan),
    ...(choice === 'norecovery' ? [] : twins(plan)),
    i18n.t('care:restore.rest'),
  ];
}

function identity({ backup, database, choice }: Plan): string[] {
  const id = shortId(backup.broker_instance);
  const { conversations, messages } = backup;
  switch (choice) {
    case 'keep':
      return [
        i18n.t(backup.is_broker_enabled ? 'care:restore.keepsOn' : 'care:restore.keepsOff', { id }),
        i18n.t('care:restore.goOn', { conversations, messages }),
      ];
    case 'ENABLE_BROKER':
      return [i18n.t('care:restore.on', { id }), i18n.t('care:restore.goOnApart', { conversations, messages })];
    case 'NEW_BROKER':
      return [i18n.t('care:restore.own', { id }), i18n.t('care:restore.endUntold', { conversations, database })];
    case 'ERROR_BROKER_CONVERSATIONS':
      return [i18n.t('care:restore.on', { id }), i18n.t('care:restore.endTold', { conversations, database })];
    case 'norecovery':
      return [i18n.t('care:restore.copy', { id }), i18n.t('care:restore.copyHolds', { conversations, messages })];
  }
}

/** One id twice: refused beside itself, unnoticed across instances. */
function twins(plan: Plan): string[] {
  if (plan.choice === 'NEW_BROKER') {
    return [];
  }
  const others = databasesOfBroker(plan.estate, plan.backup.broker_instance).filter(
    (one) =>
      one.value.is_broker_enabled && !(one.instance === plan.instance && one.database === replacedBy(plan)?.name),
  );
  return others.map((one) =>
    one.instance === plan.instance
      ? i18n.t('care:restore.twinHere', { twin: one.database, instance: one.instance, database: plan.database })
      : i18n.t('care:restore.twinThere', { twin: one.database, instance: one.instance }),
  );
}
