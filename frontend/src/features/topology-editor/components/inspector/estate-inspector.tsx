import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { Fact, Facts, Section } from '@/components/ui/section';
import type { Estate } from '@/contracts/api';
import { useSandbox } from '@/hooks/use-sandbox';
import { useTypedParameter } from '@/hooks/use-view-state';
import { numberText } from '@/i18n';
import { everyRoute, everyService } from '@/topology/lookup';
import { matches } from '@/topology/words';

import { KeySuiteForm } from '../care/key-suite-form';
import { InspectorFrame } from './inspector';
import { RouteTable } from './route-table';

/** The estate as a whole, with every route it has. */
export function EstateInspector({ estate }: { estate: Estate }) {
  const { t } = useTranslation('inspector');
  const sandbox = useSandbox();
  const [filter, setFilter] = useTypedParameter('find');
  const routes = everyRoute(estate);
  const found = routes.filter(({ instance, database, value }) =>
    matches(filter, [
      instance,
      database,
      value.name,
      value.service_name ?? '',
      value.address,
      value.mirror_address ?? '',
    ]),
  );
  const expired = routes.filter(({ value }) => value.is_expired).length;
  return (
    <InspectorFrame kind={t('kind.estate')} name={sandbox === null ? estate.name : t('sandbox.heading')}>
      <Section title={t('estate.has')}>
        <Facts>
          <Fact label={t('estate.instances')}>{numberText(estate.instances.length)}</Fact>
          <Fact label={t('estate.services')}>{numberText(everyService(estate).length)}</Fact>
          <Fact label={t('estate.routes')}>{t('estate.routeCount', { count: routes.length, expired })}</Fact>
          <Fact label={t('estate.pairs')}>
            {estate.mirrors.length === 0
              ? t('estate.noPairs')
              : estate.mirrors
                  .map(({ database, instances: [first = '', second = ''] }) =>
                    t('estate.pair', { database, first, second }),
                  )
                  .join('; ')}
          </Fact>
          <Fact label={t('estate.pace')}>
            {estate.pace === 1 ? t('estate.paceDocumented') : t('estate.paceFast', { pace: estate.pace })}
          </Fact>
        </Facts>
      </Section>
      {sandbox === null && <KeySuiteForm estate={estate} />}
      <Section
        title={
          filter === ''
            ? t('routes', { count: routes.length })
            : t('routesFound', { count: found.length, all: routes.length })
        }
      >
        <TextInput
          size="xs"
          mb={8}
          leftSection={<IconSearch size={14} />}
          placeholder={t('estate.placeholder')}
          aria-label={t('estate.find')}
          value={filter}
          onChange={(event) => {
            setFilter(event.currentTarget.value);
          }}
        />
        <RouteTable routes={found} label={t('routesOfEstate')} showPlace />
      </Section>
    </InspectorFrame>
  );
}
