import { CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import classes from './side-form.module.css';

type Props = {
  /** For the screen reader: "Change route X". */
  label: string;
  kind: string;
  name: string;
  /** Where it belongs: "PARIS · Ventes". */
  place: string;
  children: ReactNode;
  actions: ReactNode;
  onSubmit: () => void;
  onClose: () => void;
};

/** A form in the side panel: what it is about on top, the fields, the buttons at the foot. */
export function SideForm({ label, kind, name, place, children, actions, onSubmit, onClose }: Props) {
  const { t } = useTranslation('components');
  return (
    <form
      className={classes.form}
      noValidate
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <header className={classes.head}>
        <div className={classes.kind}>
          {kind}
          <CloseButton size="sm" aria-label={t('closeForm')} onClick={onClose} />
        </div>
        <h2>{name}</h2>
        <p>{place}</p>
      </header>
      <div className={classes.fields}>{children}</div>
      <footer className={classes.actions}>{actions}</footer>
    </form>
  );
}
