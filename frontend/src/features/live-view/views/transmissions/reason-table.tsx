import { VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { Hint } from '@/components/ui/hint';
import { numberText } from '@/i18n';
import type { Reason } from '@/live/grid/transmission-groups';

import { Age } from '../../components/cells';
import { useViewActions } from '../../actions';
import type { ViewQuery } from '../../frame/use-view-query';
import classes from '../summary.module.css';

/** In the address: what has no number yet. */
export const noNumber = 'none';

/** Why messages wait, by number, that of most first; one that is chosen narrows the rows below. */
export function ReasonTable({ reasons, query }: { reasons: readonly Reason[]; query: ViewQuery }) {
  const { t } = useTranslation('views');
  const { reason: ReasonActions } = useViewActions();
  const chosen = query.chosen('number');
  const toggle = (value: string) => {
    query.choose('number', chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]);
  };
  return (
    <section className={classes.part} aria-label={t('transmissions.byReason')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('transmissions.reason')}</th>
            <th scope="col" data-number>
              {t('transmissions.messages')}
            </th>
            <th scope="col" data-number className={classes.conversations}>
              {t('transmissions.conversations')}
            </th>
            <th scope="col" data-number className={classes.age}>
              {t('transmissions.oldest')}
            </th>
            {ReasonActions !== undefined && (
              <th scope="col" className={classes.action}>
                <VisuallyHidden>{t('transmissions.actions')}</VisuallyHidden>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {reasons.map((reason) => {
            const value = reason.number === null ? noNumber : String(reason.number);
            return (
              <tr key={value} data-chosen={chosen.includes(value)}>
                <th scope="row">
                  <Hint
                    label={
                      reason.number === null
                        ? t('transmissions.blankMeaning')
                        : `${reason.text} (${reason.places.join(', ')})`
                    }
                  >
                    <button
                      type="button"
                      aria-pressed={chosen.includes(value)}
                      onClick={() => {
                        toggle(value);
                      }}
                    >
                      {reason.number === null ? (
                        <Badge>{t('transmissions.blank')}</Badge>
                      ) : (
                        <Badge verdict="delayed">{reason.number}</Badge>
                      )}
                      <span>{reason.number === null ? t('transmissions.blankShort') : wordsOf(reason)}</span>
                    </button>
                  </Hint>
                </th>
                <td data-number>{numberText(reason.messages)}</td>
                <td data-number>{numberText(reason.conversations)}</td>
                <td data-number>
                  <Age at={reason.oldest} />
                </td>
                {ReasonActions !== undefined && (
                  <td>
                    <ReasonActions reason={reason} />
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/** The text without its number, which stands in front of it. */
function wordsOf({ number, text }: Reason): string {
  const start = `${number ?? ''}`;
  return text.startsWith(start) ? text.slice(start.length).replace(/^[\s:·.-]+/, '') : text;
}
