// A small estate for tests: two instances that talk directly, one behind a forwarder, a mirrored pair, an expired
// route, and an address that belongs to nobody.
import type { Database, Endpoint, Estate, Instance, Route, Service } from '@/contracts/api';
import type { DatabaseView, InstanceView } from '@/live/instance-view';

export function route(name: string, more: Partial<Route> = {}): Route {
  return {
    name,
    service_name: null,
    broker_instance: null,
    expires_at: null,
    is_expired: false,
    address: 'LOCAL',
    address_kind: 'local',
    mirror_address: null,
    target_instance: null,
    mirror_target_instance: null,
    ...more,
  };
}

export function routeTo(name: string, instance: string, more: Partial<Route> = {}): Route {
  return route(name, {
    address: `TCP://${instance.toLowerCase()}:4022`,
    address_kind: 'tcp',
    target_instance: instance,
    ...more,
  });
}

export function database(name: string, id: string, more: Partial<Database> = {}): Database {
  return {
    name,
    broker_instance: `${id.repeat(8)}-0000-4000-8000-${id.repeat(12)}`,
    is_broker_enabled: true,
    state: 'online',
    partner_address: null,
    users: [],
    queues: [],
    services: [],
    contracts: [],
    message_types: [],
    routes: [route('AutoCreatedLocal')],
    ...more,
  };
}

export const noTrust: Endpoint['trust'] = {
  certificate: null,
  usable_certificates: [],
  peers: [],
  lets_strangers_in: false,
  connect_permissions: [],
};

export function instance(name: string, databases: Database[], more: Partial<Instance> = {}): Instance {
  return {
    name,
    host_names: [],
    desired_revision: 1,
    applied_revision: 1,
    apply_error: '',
    endpoint: {
      name: 'BrokerEndpoint',
      port: 4022,
      state: 'STARTED',
      listener_ip: null,
      is_message_forwarding_enabled: false,
      message_forward_size_megabytes: 10,
      authentication: 'WINDOWS NEGOTIATE',
      encryption: 'REQUIRED ALGORITHM AES',
      trust: noTrust,
    },
    databases,
    ...more,
  };
}

function queue(name: string): Database['queues'][number] {
  return {
    name,
    is_enabled: true,
    is_retention_enabled: false,
    is_poison_message_handling_enabled: true,
    activation_procedure: null,
    receive_permissions: [{ grantee: 'public', is_denied: false }],
  };
}

export function service(name: string, queueOf: string, more: Partial<Service> = {}): Service {
  return {
    name,
    queue: queueOf,
    contracts: [],
    owner: 'dbo',
    send_permissions: [{ grantee: 'public', is_denied: false }],
    owner_may_receive: true,
    ...more,
  };
}

const orders = '//exemple.fr/Commandes/Passation';
const reception = '//exemple.fr/Commandes/Réception';
const size = '//beispiel.de/Lager/Größenprüfung';
const contract = '//exemple.fr/Commandes/Contrat';
const messageType = '//exemple.fr/Commandes/Commande';

const agreed = {
  contracts: [{ name: contract, uses: [{ message_type: messageType, sent_by: 'INITIATOR' as const }] }],
  message_types: [{ name: messageType, validation: 'NONE' as const }],
};

const mirrorId = `${'c'.repeat(8)}-0000-4000-8000-${'c'.repeat(12)}`;

export const names = { orders, reception, size, contract, messageType, mirrorId };

export function demoEstate(): Estate {
  return {
    name: 'demo-fr-de',
    pace: 10,
    key_suite: 'md5',
    revision: 1,
    state: '1.1.0.md5',
    sandbox: null,
    instances: [
      instance('PARIS', [
        database('msdb', '1'),
        database('Ventes', 'a', {
          ...agreed,
          queues: [queue('dbo.Commandes')],
          services: [service(orders, 'dbo.Commandes')],
          routes: [
            route('AutoCreatedLocal'),
            routeTo('VersLyon', 'LYON', { service_name: reception }),
            routeTo('VersBerlin', 'HUB', { service_name: size }),
            routeTo('VersStock', 'BERLIN', {
              service_name: '//beispiel.de/Lager/Bestand',
              broker_instance: mirrorId,
              mirror_address: 'TCP://lyon:4022',
              mirror_target_instance: 'LYON',
            }),
            routeTo('AncienneRoute', 'LYON', {
              service_name: '//exemple.fr/Archives',
              expires_at: '2024-03-31T22:00:00Z',
              is_expired: true,
            }),
            route('Partenaire', {
              service_name: '//partenaire.example/Livraison',
              address: 'TCP://partenaire.example:4022',
              address_kind: 'tcp',
            }),
          ],
        }),
      ]),
      instance('LYON', [
        database('msdb', '2'),
        database('Entrepôt', 'b', {
          ...agreed,
          queues: [queue('dbo.Réception')],
          services: [service(reception, 'dbo.Réception', { contracts: [contract] })],
          routes: [route('AutoCreatedLocal'), routeTo('VersParis', 'PARIS', { service_name: orders })],
        }),
        database('Lagerbestand', 'c', { state: 'mirror' }),
      ]),
      instance('BERLIN', [
        database('msdb', '3'),
        database('Lagerverwaltung', 'd', {
          queues: [queue('dbo.Prüfung')],
          services: [service(size, 'dbo.Prüfung')],
          routes: [route('AutoCreatedLocal'), routeTo('NachParis', 'HUB', { service_name: orders })],
        }),
        database('Lagerbestand', 'c', {
          services: [service('//beispiel.de/Lager/Bestand', 'dbo.Bestand')],
          queues: [queue('dbo.Bestand')],
        }),
      ]),
      instance(
        'HUB',
        [
          database('msdb', '4', {
            routes: [
              route('AutoCreatedLocal'),
              routeTo('ToBerlin', 'BERLIN', { service_name: size }),
              routeTo('ToParis', 'PARIS', { service_name: orders }),
              route('ToAnyOther', { address: 'TRANSPORT', address_kind: 'transport' }),
            ],
          }),
        ],
        {
          endpoint: {
            name: 'BrokerEndpoint',
            port: 4022,
            state: 'STARTED',
            listener_ip: null,
            is_message_forwarding_enabled: true,
            message_forward_size_megabytes: 10,
            authentication: 'WINDOWS NEGOTIATE',
            encryption: 'REQUIRED ALGORITHM AES',
            trust: noTrust,
          },
        },
      ),
    ],
    mirrors: [{ database: 'Lagerbestand', broker_instance: mirrorId, instances: ['BERLIN', 'LYON'] }],
    change_set: null,
    draft_objects: [],
  };
}

export function databaseView(name: string, more: Partial<DatabaseView> = {}): DatabaseView {
  return {
    name,
    broker_instance: `${'a'.repeat(8)}-0000-4000-8000-${'a'.repeat(12)}`,
    is_broker_enabled: true,
    state: 'online',
    ready: 0,
    conversation_endpoints_total: 0,
    transmission_queue_total: 0,
    oldest: null,
    blocked: 0,
    held: null,
    conversation_endpoints: [],
    transmission_queue: [],
    queues: [],
    ...more,
  };
}

export function instanceView(name: string, more: Partial<InstanceView> = {}): InstanceView {
  return {
    name,
    endpoint_state: 'STARTED',
    listening_port: 40_001,
    listening_error: '',
    databases: [],
    connections: [],
    forwarding_messages: 0,
    ...more,
  };
}
