import { oneLine } from '../../base/text/printable.ts';
import { several } from '../../base/text/number-words.ts';
import { metrics } from '../../inspect/telemetry/metrics/metrics.ts';
import { isTroupeError } from '../../contracts/errors/error.ts';
import { assertKey } from '../../models/assert-key.ts';
import { createGlobalEngine } from '../../runtime/engines/global-engine.ts';
import type { TakenRun } from '../../runtime/serve/runs/taken-run.ts';
import { serve } from '../../runtime/serve/serve.ts';
import { partsOf } from '../../runtime/serve/service-parts.ts';
import { exitCode } from '../exit-code.ts';
import { loadAgents, loadVersions } from '../load-agent.ts';
import type { Session } from '../session.ts';
import { modelOf } from '../session.ts';
import { assertReadable, isKeptOutside, withStoreIfAny } from '../stored/open-store.ts';
import type { WorkerCommand } from '../usage/commands.ts';
import { wrong } from '../usage/wrong-usage.ts';
import { untilAborted } from '../with-inspector.ts';
import { failureLine } from '../words/failure-line.ts';
import { byName, versionsOf } from './by-name.ts';
import { openProbes } from './probes.ts';

/** Time between two looks for runs that are due, in ms. */
const LOOK_MS = 1_000;

/** A run that another process had: which, whose, and at which row of its journal it goes on. */
const takenWords = ({ runId, agent, from, row }: TakenRun): string => {
  const how = from === undefined ? 'left in order by its process' : `from ${from}, which is gone`;
  return oneLine(`Took over ${runId} of ${agent}, ${how}, at row ${row} of its journal`, 300);
};

/** `troupe worker`: executes the runs of a store, beside other workers, until SIGTERM or Ctrl-C. */
export const work = async (wanted: WorkerCommand, session: Session): Promise<number> => {
  const { modules, concurrency, port, host } = wanted;
  const { terminal, settings, sidePaint: paint, signal } = session;
  const model = settings.model === undefined ? undefined : modelOf(session);
  if (model !== undefined) assertKey(model, terminal.environment);
  const loaded = await Promise.all(
    modules.map(({ file, exportName }) => loadAgents(file, terminal.folder, exportName)),
  );
  const agents = byName(loaded.flat());
  const earlier = await Promise.all(modules.map(({ file }) => loadVersions(file, terminal.folder)));
  const versions = versionsOf(agents, earlier.flat());
  return withStoreIfAny(session, assertReadable, async (opened) => {
    if (opened === undefined)
      throw wrong('a worker executes the runs of a store: name one with --store', 'worker');
    if (!isKeptOutside(session))
      throw wrong(`nobody else has a store in memory: name another one with --store`, 'worker');
    const { store } = opened;
    const counted = metrics();
    await using engine = createGlobalEngine({ hooks: [counted] });
    const service = serve(engine, {
      agents,
      versions,
      store,
      sweepMs: LOOK_MS,
      limits: { runs: concurrency },
      ...(model === undefined ? {} : { run: { model } }),
      onTaken: (taken) => {
        if (!settings.quiet) terminal.stderr.write(`  ${paint.yellow('↻')} ${takenWords(taken)}\n`);
      },
      onProblem: (thrown) => {
        terminal.stderr.write(failureLine(thrown, paint, settings.debug));
        if (isTroupeError(thrown, 'journal.diverged') || isTroupeError(thrown, 'tool.missing'))
          terminal.stderr.write(
            '  It is held: a worker with the version that it began with goes on with it\n',
          );
      },
    });
    const probes =
      port === undefined
        ? undefined
        : await openProbes({
            host,
            port,
            snapshot: () => counted.snapshot(),
            held: () => partsOf(service)?.serving.runs.held ?? 0,
            check: () => assertReadable(store),
            signal,
          });
    const names = Object.keys(agents);
    const line = `Executing runs of ${several(names.length, 'agent')} in ${store.name}, ${concurrency} at once: ${names.join(', ')}`;
    if (settings.json) terminal.stdout.write(`${JSON.stringify({ store: store.name, url: probes?.url })}\n`);
    else if (!settings.quiet)
      terminal.stderr.write(
        `  ${paint.cyan('◉')} ${line}${probes === undefined ? '' : ` (${probes.url})`}\n`,
      );
    await untilAborted(signal);
    await service.drain();
    await probes?.close();
    return exitCode.answered;
  });
};
