import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { serveMcp } from '../../../src/mcp/index.ts';
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { conformanceAgents } from './conformance-agents.ts';
import type { ClientOrder } from './conformance-client.ts';
import { runConformanceClient } from './conformance-client.ts';
import type { Revision, Side } from './conformance-table.ts';
import { newerNode } from './newer-node.ts';
import { packageFolder } from './real-servers.ts';
import { serveOverHttp } from './serve-over-http.ts';

/** The checks of a scenario that failed, by the name of the scenario. */
export type Failures = ReadonlyMap<string, readonly string[]>;

/** Clients at a time: the suite starts those of all scenarios at once. */
const MAX_CLIENTS = 3;

const SUITE = resolve(packageFolder('@modelcontextprotocol/conformance'), 'dist/index.js');

/** Runs the scenarios of a revision of the protocol against one side of troupe, as the suite's own command does. */
export const judge = async (side: Side, revision: Revision): Promise<Failures> => {
  const results = mkdtempSync(join(tmpdir(), 'troupe-conformance-'));
  await using judged = await (side === 'client' ? clients() : servers());
  const subject =
    side === 'client'
      ? [
          '--command',
          [process.execPath, resolve(import.meta.dirname, 'conformance-order.mjs'), judged.url].join(' '),
        ]
      : ['--url', judged.url];
  try {
    const said = await runSuite([
      side,
      ...subject,
      '--requirements',
      revision,
      '--timeout',
      '120000',
      '-o',
      results,
    ]);
    const failures = failuresIn(results);
    if (failures.size === 0) throw new Error(`The suite ran no scenario: ${said}`);
    return failures;
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
};

/** A server of agents, with the check in front that the guide asks for. */
const servers = () => {
  const service = serveMcp(conformanceAgents, { taskAfterMs: 200 });
  return serveOverHttp((request) => {
    const refused =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    return refused === undefined ? service.fetch(request) : Promise.resolve(refused);
  });
};

/** Takes the orders of the clients that the suite starts, a few at a time. */
const clients = () => {
  const waiting: (() => void)[] = [];
  let running = 0;
  const turn = async (): Promise<void> => {
    if (running < MAX_CLIENTS) running += 1;
    else await new Promise<void>((resolve_) => waiting.push(resolve_));
  };
  return serveOverHttp(async (request) => {
    const order = (await request.json()) as ClientOrder;
    await turn();
    try {
      return Response.json(await runConformanceClient(order));
    } catch (thrown) {
      return new Response(String(thrown), { status: 500 });
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  });
};

/** Runs the suite's command; whether it is content is of no interest, as what failed is in its results. */
const runSuite = async (args: readonly string[]): Promise<string> => {
  const child = spawn(newerNode(), [SUITE, ...args], {
    env: { PATH: process.env['PATH'], HOME: tmpdir(), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => (said = (said + piece.toString()).slice(-5_000)));
  await once(child, 'close');
  return said;
};

interface Check {
  readonly id: string;
  readonly status: string;
}

const failuresIn = (results: string): Failures =>
  new Map(
    readdirSync(results, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('checks.json'))
      .map((path) => {
        const checks = JSON.parse(readFileSync(join(results, path), 'utf8')) as readonly Check[];
        const failed = checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id);
        return [scenarioOf(path), [...new Set(failed)].toSorted()];
      }),
  );

/** The scenario of a folder of results: `server-tools-list-2026-11-26T14-06-10-345Z/checks.json`. */
const scenarioOf = (path: string): string =>
  path.replace(/-\d{4}-\d\d-\d\dT[\d-]+Z\/checks\.json$/, '').replace(/^server-/, '');
