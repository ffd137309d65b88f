import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { several } from '../../base/text/number-words.ts';
import { assertKey } from '../../models/assert-key.ts';
import { createGlobalEngine } from '../../runtime/engines/global-engine.ts';
import { serve } from '../../runtime/serve/serve.ts';
import type { Authenticate } from '../../runtime/serve/serve-options.ts';
import { exitCode } from '../exit-code.ts';
import { loadAgents, loadVersions } from '../load-agent.ts';
import type { Session } from '../session.ts';
import { modelOf } from '../session.ts';
import { assertReadable, withStoreIfAny } from '../stored/open-store.ts';
import type { ServeCommand } from '../usage/commands.ts';
import { wrong } from '../usage/wrong-usage.ts';
import { untilAborted } from '../with-inspector.ts';
import { failureLine } from '../words/failure-line.ts';
import { byName, versionsOf } from './by-name.ts';
import { closeServer, listen } from './listen.ts';
import { nameHeldRuns } from './name-held-runs.ts';

/** The variable with the token that each request has to bring. */
const TOKEN = 'TROUPE_SERVE_TOKEN';
/** Addresses that only this machine reaches. */
const LOOPBACK: readonly string[] = ['127.0.0.1', '::1', 'localhost'];
/** Time for the head of a request, in ms. */
const HEAD_MS = 10_000;

/** `troupe serve`: serves the agents and teams that a module exports over HTTP, until SIGTERM or Ctrl-C. */
export const serveAgents = async (wanted: ServeCommand, session: Session): Promise<number> => {
  const { file, exportName, host, port, origins, openai, isEntrance } = wanted;
  const { terminal, settings, sidePaint: paint, signal } = session;
  const token = terminal.environment[TOKEN];
  if (token === undefined && !LOOPBACK.includes(host))
    throw wrong(
      `--host ${host} is reached by others: set ${TOKEN}, which each request has to bring`,
      'serve',
    );
  const model = settings.model === undefined ? undefined : modelOf(session);
  if (model !== undefined) assertKey(model, terminal.environment);
  const agents = await loadAgents(file, terminal.folder, exportName);
  const versions = versionsOf(byName(agents), await loadVersions(file, terminal.folder));
  return withStoreIfAny(session, assertReadable, async (opened) => {
    if (isEntrance && opened === undefined)
      throw wrong('--enqueue needs a store, which workers share: name one with --store', 'serve');
    await using engine = createGlobalEngine();
    const service = serve(engine, {
      agents: byName(agents),
      versions,
      executes: !isEntrance,
      origins,
      openai,
      ...(token === undefined ? {} : { auth: bearerOf(token) }),
      ...(opened === undefined ? {} : { store: opened.store }),
      ...(model === undefined ? {} : { run: { model } }),
      onProblem: (thrown) => {
        terminal.stderr.write(failureLine(thrown, paint, settings.debug));
      },
    });
    const server = createServer({ headersTimeout: HEAD_MS }, service.listener);
    const url = await listen(server, host, port);
    const names = agents.map(({ name }) => name).join(', ');
    const line = `Serving ${several(agents.length, 'agent')} at ${url}: ${names}`;
    if (settings.json) terminal.stdout.write(`${JSON.stringify({ url })}\n`);
    else if (settings.quiet) terminal.stdout.write(`${url}\n`);
    else terminal.stderr.write(`  ${paint.cyan('◉')} ${line}\n`);
    await service.booted;
    if (opened !== undefined && !isEntrance) await nameHeldRuns(opened.store, agents, session);
    await untilAborted(signal);
    // Requests are answered meanwhile: new runs are refused.
    await service.drain();
    await closeServer(server);
    return exitCode.answered;
  });
};

/** Takes those who bring the token. */
const bearerOf = (token: string): Authenticate => {
  const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
  const known = digestOf(token);
  return ({ headers }) => {
    const [, given] = /^Bearer (\S+)$/.exec(headers.get('authorization') ?? '') ?? [];
    // Compared in constant time.
    return given !== undefined && timingSafeEqual(digestOf(given), known) ? { who: 'token' } : undefined;
  };
};
