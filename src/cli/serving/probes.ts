import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { snapshotAsPrometheus } from '../../inspect/telemetry/metrics/prometheus.ts';
import type { MetricsSnapshot } from '../../inspect/telemetry/metrics/snapshot.ts';
import { closeServer, listen } from './listen.ts';

/** The needs of the probes of a process. */
export interface Probed {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly snapshot: () => MetricsSnapshot;
  /** The number of runs that are due, and that cannot be resumed here until something changes. */
  readonly held: () => number;
  /** Rejects where the process cannot work. */
  readonly check: () => Promise<void>;
  /** Aborted when the process is to end: it is not ready any more. */
  readonly signal: AbortSignal;
}

/** Time that a check may take, in ms: probes give up soon, too. */
const CHECK_MS = 5_000;

const METRICS = 'text/plain; version=0.0.4; charset=utf-8';

const heldMetric = (count: number): string =>
  `# HELP troupe_held_runs Runs that are due, and that this process cannot resume.\n# TYPE troupe_held_runs gauge\ntroupe_held_runs ${count}\n`;

/** Answers `/healthz`, `/readyz` and `/metrics`, for those who look after processes. */
export const openProbes = async ({ host, port, snapshot, held, check, signal }: Probed) => {
  const server = createServer((request, response) => {
    switch (request.url) {
      case '/healthz':
        reply(response, 200, 'ok\n');
        break;
      case '/readyz':
        void isReady(check, signal).then((ready) => {
          reply(response, ready ? 200 : 503, ready ? 'ok\n' : 'not ready\n');
        });
        break;
      case '/metrics':
        reply(response, 200, `${snapshotAsPrometheus(snapshot())}${heldMetric(held())}`, METRICS);
        break;
      default:
        reply(response, 404, 'there is /healthz, /readyz and /metrics\n');
    }
  });
  const url = await listen(server, host, port);
  return { url, close: () => closeServer(server) };
};

const isReady = async (check: () => Promise<void>, signal: AbortSignal): Promise<boolean> => {
  if (signal.aborted) return false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, CHECK_MS, false);
  });
  const checked = check().then(
    () => !signal.aborted,
    () => false,
  );
  const ready = await Promise.race([checked, late]);
  clearTimeout(timer);
  return ready;
};

const reply = (
  response: ServerResponse,
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void => {
  response.writeHead(status, { 'content-type': type }).end(text);
};
