import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { parseJson } from './parse-json.ts';
import type { Recorder } from '../recording/recorder.ts';
import { ClassicTeller } from './classic-messages.ts';
import { followEntries } from './follow-entries.ts';

/** Options of the bridge. */
export interface ClassicBridgeOptions {
  /** Default 8888, as `@xstate/inspect` has it; 0 takes any that is free. */
  readonly port?: number | undefined;
  /**
   * Origins of pages that may connect. Default: the visualisers of Stately. Clients without an origin are not pages,
   * and may connect.
   */
  readonly origins?: readonly string[] | undefined;
  /** Lets the page pause, step and abort runs, by the events `pause`, `resume`, `step` and `abort`. Default false. */
  readonly control?: boolean | undefined;
}

/** A bridge that is open. */
export interface ClassicBridge {
  /** Address for receivers. */
  readonly url: string;
  /** The visualiser, connected to it. */
  readonly page: string;
  close(): Promise<void>;
}

const PORT = 8888;
const ORIGINS = ['https://stately.ai', 'https://statecharts.io'];

/**
 * Shows a recording in the XState inspector (`@xstate/inspect`), which supports XState 4 only: a server on the loopback
 * that speaks its protocol; the visualiser's page or a receiver of that package connects to it at any time.
 *
 * The page is hosted by Stately; the data stays between your browser and this process.
 *
 * @example
 * const record = recorder();
 * const bridge = await classicBridge(record);
 * console.log(bridge.page); // https://stately.ai/viz?inspect&server=ws://127.0.0.1:8888
 * await clerk.run('What is 19 + 23?', { inspect: record });
 * await bridge.close();
 *
 * @throws {TroupeError} `inspector.package-missing` without the package `ws`; `inspector.failed` where the port is taken.
 */
export const classicBridge = async (
  recorder: Recorder,
  { port = PORT, origins = ORIGINS, control = false }: ClassicBridgeOptions = {},
): Promise<ClassicBridge> => {
  const { WebSocketServer } = await loadWs();
  const server = new WebSocketServer({
    host: '127.0.0.1',
    port,
    maxPayload: MAX_BYTES,
    verifyClient: ({ origin }: { readonly origin?: string | undefined }) =>
      origin === undefined || origins.includes(origin),
  });
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', (error) => {
      const message = `Cannot open the bridge as port ${port} is not available: choose another, or 0`;
      reject(new TroupeError('inspector.failed', message, { cause: error }));
    });
  });
  server.on('connection', (socket) => {
    let stop: (() => void) | undefined;
    socket.on('error', () => {
      socket.terminate();
    });
    socket.on('close', () => stop?.());
    socket.on('message', (data) => {
      const said = parseJson(textOf(data));
      if (!isJsonObject(said)) return;
      if (said['type'] === 'xstate.inspecting' && stop === undefined) {
        const teller = new ClassicTeller();
        stop = followEntries(recorder.recording, (entry) => {
          for (const message of teller.tell(entry)) socket.send(JSON.stringify(message));
        });
      } else if (said['type'] === 'xstate.event' && control) {
        obey(recorder.handles, said['sessionId'], eventIn(said['event']));
      }
    });
  });
  const address = server.address();
  const url = `ws://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : port}`;
  return {
    url,
    page: `https://stately.ai/viz?inspect&server=${url}`,
    close: () =>
      new Promise((resolve) => {
        for (const socket of server.clients) socket.terminate();
        server.close(() => {
          resolve();
        });
      }),
  };
};

const MAX_BYTES = 65_536;

const loadWs = async () => {
  try {
    return await import('ws');
  } catch (error) {
    const message = "Cannot open the bridge as the package 'ws' is not installed: npm install ws";
    throw new TroupeError('inspector.package-missing', message, { cause: error });
  }
};

/** A message comes whole, or in pieces. */
const textOf = (data: Buffer | ArrayBuffer | Buffer[]): string => {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return new TextDecoder().decode(data);
};

/** The type of the event in a message, which is JSON once more. */
const eventIn = (text: unknown): string | undefined => {
  const event = typeof text === 'string' ? parseJson(text) : undefined;
  const name = isJsonObject(event) ? (event['name'] ?? event['type']) : undefined;
  return typeof name === 'string' ? name : undefined;
};

const obey = (
  handles: ReadonlyMap<string, RunHandle<unknown, unknown>>,
  session: unknown,
  event: string | undefined,
): void => {
  if (typeof session !== 'string') return;
  const [, handle] = [...handles].find(([run]) => session.startsWith(`${run}/`)) ?? [];
  if (handle === undefined) return;
  if (event === 'pause') handle.pause();
  else if (event === 'resume') handle.resume();
  else if (event === 'step') void handle.step();
  else if (event === 'abort') handle.abort('the inspector said so');
};
