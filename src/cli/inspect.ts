import { existsSync } from 'node:fs';
import process from 'node:process';
import { isDefinitionOfDev, reportToDev } from './dev/started-by-dev.ts';
import { attachedEnvironment, builtModule } from './attached-environment.ts';
import type { InspectCommand } from './usage/commands.ts';
import { exitCode } from './exit-code.ts';
import type { LoadedAgent } from './load-agent.ts';
import { loadAgent } from './load-agent.ts';
import { run } from './run.ts';
import type { Session } from './session.ts';
import { contentIn } from './stored/content-in.ts';
import { assertReadable, assertStoreThere, withStoreIfAny } from './stored/open-store.ts';
import { failureLine } from './words/failure-line.ts';
import { traceAt } from './trace/trace-at.ts';
import type { InspectorRequest } from './usage/inspector-request.ts';
import { runProgram } from './run-program.ts';
import { shownFile } from './shown-file.ts';
import { wrong } from './usage/wrong-usage.ts';
import { runShown, withInspector } from './with-inspector.ts';

/** `troupe inspect`: shows a running agent, stored runs or a trace as statecharts in a browser. */
export const inspect = async (wanted: InspectCommand, session: Session): Promise<number> => {
  const { file, input, exportName, isData, blobs, wish } = wanted;
  if (file !== undefined && isDefinitionOfDev())
    return (await import('./dev/definition.ts')).showDefinition({ ...wanted, file }, session);
  const kind = file === undefined ? undefined : await shownFile(file, session.terminal.folder);
  if (blobs !== undefined && (kind === 'log' || input !== undefined)) throw wrong(BLOBS_ASTRAY, 'inspect');
  if (file !== undefined && kind === 'log') return inspectTrace(file, wanted, session);
  if (file !== undefined && exportName === undefined && kind === 'program') {
    if (isData) throw wrong('--data needs an agent, and the file exports none', 'inspect');
    if (blobs !== undefined) throw wrong(BLOBS_ASTRAY, 'inspect');
    return inspectProgram({ file, args: input === undefined ? [] : [input], wish }, session);
  }
  if (file !== undefined && input !== undefined)
    return run(
      { name: 'run', file, input, isData, exportName, isParked: false, trace: undefined, inspect: wish },
      session,
    );
  // Without a file it shows stored runs only.
  if (file === undefined) assertStoreThere(session);
  const content = await contentIn(blobs, session);
  let agent: LoadedAgent | undefined;
  return withStoreIfAny(session, assertReadable, (opened) =>
    runShown(
      { wish, session, store: opened?.store, content, agent: () => agent, program: file },
      async () => {
        if (file !== undefined) agent = await loadAgent(file, session.terminal.folder, exportName);
        return exitCode.answered;
      },
    ),
  );
};

const BLOBS_ASTRAY = '--blobs is for stored runs: give no INPUT, no program and no trace';

/** Shows the run of a trace, or of an exported journal, as the page of `trace export` would. */
const inspectTrace = async (
  file: string,
  { input, exportName, wish }: InspectCommand,
  session: Session,
): Promise<number> => {
  const given = input === undefined ? (exportName === undefined ? undefined : '--export') : 'INPUT';
  const stray = wish.isControlled ? '--control' : given;
  if (stray !== undefined) throw wrong(`a trace is only looked at: it has no use for ${stray}`, 'inspect');
  const [trace, { tracePage }] = await Promise.all([
    traceAt(file, session),
    import('../inspect/traces/formats/trace-as-html.ts'),
  ]);
  const shown = { session, store: undefined, agent: () => undefined, page: await tracePage(trace) };
  return withInspector(wish, shown, () => Promise.resolve(exitCode.answered));
};

interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly wish: InspectorRequest;
}

/** Runs a program unchanged, and shows every run that it starts. */
const inspectProgram = ({ file, args, wish }: Program, session: Session): Promise<number> => {
  const { terminal, settings, sidePaint } = session;
  const shown = { wish, session, store: undefined, agent: () => undefined, program: file, isFollowing: true };
  return runShown(shown, async () => {
    try {
      await attachingChildren(wish, () => runProgram(file, terminal.folder, args));
      return exitCode.answered;
    } catch (thrown) {
      reportToDev(thrown);
      // What it did until then is there to be looked at.
      terminal.stderr.write(failureLine(thrown, sidePaint, settings.debug));
      return exitCode.unanswered;
    }
  });
};

/** Runs a program such that the runs of the processes that it starts are on the page, too. */
const attachingChildren = async (wish: InspectorRequest, work: () => Promise<void>): Promise<void> => {
  const { env } = process;
  const own = attachedEnvironment(env, wish);
  const before = Object.keys(own).map((name) => [name, env[name]] as const);
  // Sources that were not built have no module to be loaded there.
  if (existsSync(builtModule('attach.js'))) Object.assign(env, own);
  try {
    await work();
  } finally {
    for (const [name, value] of before)
      if (value === undefined) Reflect.deleteProperty(env, name);
      else env[name] = value;
  }
};
