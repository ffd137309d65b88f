/**
 * What the visualiser does with what it is told, without the page: the genuine receiver of @xstate/inspect parses it, and XState 4
 * resolves each state in its machine. Prints a line of JSON for each message; lines that it reads are sent as events.
 */
import { createInterface } from 'node:readline';
import { createWebSocketReceiver } from '@xstate/inspect/lib/index.js';
import { WebSocket } from 'ws';

globalThis.WebSocket = WebSocket;
const [server] = process.argv.slice(2);
const machines = new Map();
const print = (said) => {
  process.stdout.write(`${JSON.stringify(said)}\n`);
};

const receiver = createWebSocketReceiver({ server });
receiver.subscribe((message) => {
  const { type, sessionId } = message;
  if (type === 'service.register') {
    const { machine, state, id, parent } = message;
    machines.set(sessionId, machine);
    print({
      type,
      sessionId,
      id,
      parent,
      states: machine.stateIds,
      value: machine.resolveState(state).value,
    });
  } else if (type === 'service.state') {
    print({ type, sessionId, value: machines.get(sessionId).resolveState(message.state).value });
  } else if (type === 'service.event') print({ type, sessionId, name: message.event.name });
  else print({ type, sessionId });
});
createInterface({ input: process.stdin }).on('line', (line) => {
  receiver.send(JSON.parse(line));
});
