import { InputLabel, Slider } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';

import { BoundedNumber } from '@/components/ui/bounded-number';
import { numberText } from '@/i18n';

import { dialogMessagesMax, rates, rateStep, sizeMax, type TrafficSettings } from '../settings';
import classes from './traffic.module.css';

type Props = { settings: TrafficSettings; isLocked: boolean; onChange: (settings: TrafficSettings) => void };

/** How much is sent, how large, how often answered; while it runs, to be read only. */
export function SettingsForm({ settings, isLocked, onChange }: Props) {
  const { t } = useTranslation('traffic');
  const set = (more: Partial<TrafficSettings>) => {
    onChange({ ...settings, ...more });
  };
  const perSecond = t('rateValue', { rate: settings.rate });
  const answered = t('percent', { value: Math.round(settings.replyRatio * 100) });
  return (
    <div className={classes.settings} role="group" aria-label={t('settings')}>
      <Sliding label={t('rate')} value={perSecond}>
        <Slider
          label={null}
          thumbLabel={t('rate')}
          thumbProps={{ 'aria-valuetext': perSecond }}
          min={0}
          max={rates.length - 1}
          step={1}
          marks={rates.map((rate, value) => ({
            value,
            label: [0.1, 1, 10, 100].includes(rate) ? numberText(rate) : null,
          }))}
          value={rateStep(settings.rate)}
          disabled={isLocked}
          onChange={(step) => {
            set({ rate: rates[step] ?? 1 });
          }}
        />
      </Sliding>
      <Sliding label={t('replies')} value={answered}>
        <Slider
          label={null}
          thumbLabel={t('replies')}
          thumbProps={{ 'aria-valuetext': answered }}
          min={0}
          max={100}
          step={5}
          marks={[0, 50, 100].map((value) => ({ value, label: t('percent', { value }) }))}
          value={Math.round(settings.replyRatio * 100)}
          disabled={isLocked}
          onChange={(value) => {
            set({ replyRatio: value / 100 });
          }}
        />
      </Sliding>
      <BoundedNumber
        label={t('size')}
        description={t('sizeHint')}
        min={0}
        max={sizeMax}
        value={Number.isNaN(settings.size) ? '' : settings.size}
        disabled={isLocked}
        onChange={(value) => {
          set({ size: numberOf(value) });
        }}
      />
      <BoundedNumber
        label={t('dialogMessages')}
        description={t('dialogMessagesHint')}
        min={1}
        max={dialogMessagesMax}
        value={Number.isNaN(settings.dialogMessages) ? '' : settings.dialogMessages}
        disabled={isLocked}
        onChange={(value) => {
          set({ dialogMessages: numberOf(value) });
        }}
      />
    </div>
  );
}

function Sliding({ label, value, children }: { label: string; value: string; children: React.ReactNode }) {
  const id = useId();
  return (
    <div className={classes.sliding} role="group" aria-labelledby={id}>
      <div className={classes.slidingHead}>
        <InputLabel component="span" id={id}>
          {label}
        </InputLabel>
        <output>{value}</output>
      </div>
      {children}
    </div>
  );
}

/** An empty field is no 0. */
function numberOf(typed: number | string): number {
  return typeof typed === 'number' ? typed : Number.parseFloat(typed);
}
