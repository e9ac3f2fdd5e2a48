import { useTranslation } from 'react-i18next';

import type { Estate } from '@/contracts/api';

import type { Asked } from '../use-question';
import { BasisPicker } from './basis-picker';
import { FlowFields, SpeechFields } from './flow-fields';
import classes from './what-if-panel.module.css';

type Props = { estate: Estate; asked: Asked };

/** Who sends to whom, and of which state that is asked. Whatever is changed is asked at once. */
export function QuestionBar({ estate, asked }: Props) {
  const { t } = useTranslation('trace');
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
        <SpeechFields estate={estate} asked={asked} />
        <BasisPicker estate={estate} asked={asked} />
      </div>
    </form>
  );
}
