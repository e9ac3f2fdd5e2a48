// A live connection as busy as can be, in place of the socket: every instance answers, every route carries messages, and all counters
// change once a second. `INSTANCES` stands for how many there are.
(() => {
  const names = Array.from({ length: INSTANCES }, (_, number) => `SRV${String(number).padStart(4, '0')}`);
  const column = (name) => ({ name, type: 'json', nullable: true, is_vendors: false });
  const table = (columns, keys, rows, facts) => ({ columns: columns.map(column), keys, rows, facts });
  const facts = Object.fromEntries(names.map((name) => [name, {}]));
  const now = Date.now() / 1000;
  const database = (at) => ({
    name: `Base0${at}`, broker_instance: '', is_broker_enabled: true, state: 'online', number: null, conversations: { total: 0, by_state: {}, closed: {} },
    transmission: at === 0 ? 5 : 0, oldest: at === 0 ? now - 100 : null, blocked: 0, ready: 0, disabled_queues: [], poisoned_queues: [], readers: 0, busy_queues: [],
  });
  const summary = (name) => [name, 'STARTED', 4022, '', Array.from({ length: 8 }, (_, at) => database(at)), {}, [], 0, [], { dropped: 0 }];
  const pairs = names.flatMap((name, number) =>
    [0, ...Array.from({ length: 8 }, (_, at) => (number * 7 + at * 3 + 1) % INSTANCES)].map((target, at) => [name, names[target], `${name} ${at}`]),
  );
  let beats = 0;
  const counters = (place) => [beats * ((place % 50) + 1), beats * 1000];
  const tables = {
    instances: () => table(['name', 'endpoint_state', 'listening_port', 'listening_error', 'databases', 'connections', 'failing_connections', 'forwarded_messages', 'mirrors', 'counts'], names, names.map(summary), facts),
    connections: () =>
      table(
        ['instance_name', 'peer_instance', 'address', 'state_desc', 'is_send_flow_controlled', 'error', 'detail', 'conversations', 'total_fragments_sent', 'total_bytes_sent'],
        pairs.map(([, , key]) => key),
        pairs.map(([name, peer], place) => [name, peer, null, 'LOGGED_IN', false, null, null, 1, ...counters(place)]),
        facts,
      ),
  };
  window.WebSocket = class extends EventTarget {
    static OPEN = 1;
    readyState = 1;
    constructor() {
      super();
      setTimeout(() => this.tell('open'));
    }
    tell(type, messages) {
      const event = messages === undefined ? new Event(type) : new MessageEvent(type, { data: JSON.stringify(messages) });
      this[`on${type}`]?.(event);
      this.dispatchEvent(event);
    }
    send(text) {
      const asked = JSON.parse(text);
      if (asked.type === 'hello') {
        this.tell('message', [{ type: 'welcome', connection: '1', server_time: now, heartbeat_seconds: 10, ack_seconds: 10, protocol: 2 }]);
      } else if (asked.type === 'sub') {
        const stream = asked.topic;
        const held = tables[stream]?.() ?? table([], [], [], {});
        this.tell('message', [{ type: 'subscribed', sub: asked.sub, stream, resumes: false }, { type: 'snapshot', stream, seq: 1, at: now, events: {}, ...held }]);
        if (stream === 'connections') {
          this.beat(1);
        }
      }
    }
    beat(seq) {
      setTimeout(() => {
        beats += 1;
        const cells = pairs.map((_, place) => [place, 8, counters(place)[0], 9, counters(place)[1]]);
        const last = seq + 2 * cells.length;
        this.tell('message', [{ type: 'delta', stream: 'connections', from: seq + 1, to: last, at: now, events: {}, ops: { cells } }]);
        this.beat(last);
      }, 1000);
    }
    close() {}
  };
})();
