import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Estate } from '@/contracts/api';

import { useAsk, type Asked } from '../use-question';
import { BasisPicker } from './basis-picker';
import { FlowFields } from './flow-fields';
import classes from './what-if-panel.module.css';

type Props = { estate: Estate; asked: Asked; nearMisses: readonly string[] };

/** Who sends to whom, and of which state that is asked. Whatever is changed is asked at once. */
export function QuestionBar({ estate, asked, nearMisses }: Props) {
  const { t } = useTranslation('trace');
  const ask = useAsk();
  return (
    <form
      className={classes.question}
      aria-label={t('ask.label')}
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <div className={classes.askRow}>
        <FlowFields estate={estate} asked={asked} />
        <span className={classes.lineBreak} />
        <BasisPicker estate={estate} asked={asked} />
      </div>
      {nearMisses.length > 0 && (
        <p role="status" className={classes.near}>
          {t('ask.near', { service: asked.to })}
          {nearMisses.map((name) => (
            <UnstyledButton
              key={name}
              className={classes.nearName}
              onClick={() => {
                ask({ to: name });
              }}
            >
              {name}
            </UnstyledButton>
          ))}
        </p>
      )}
    </form>
  );
}
