import type { InspectCommand } from './command-read.ts';
import { exitCode } from './exit-code.ts';
import type { LoadedAgent } from './load-agent.ts';
import { loadAgent } from './load-agent.ts';
import { run } from './run.ts';
import type { Session } from './session.ts';
import { assertStoreThere, withStoreIfAny } from './stored/open-store.ts';
import { attachInspector } from '../runtime/inspection/ambient-inspector.ts';
import { failureLine } from './failure-line.ts';
import type { InspectWish } from './inspect-wish.ts';
import { isProgram, runProgram } from './run-program.ts';
import type { Inspected } from './with-inspector.ts';
import { wrong } from './wrong-usage.ts';
import { withInspector } from './with-inspector.ts';

/** `troupe inspect`: shows an agent at work, or the runs that are kept, as statecharts in a browser. */
export const inspect = async (wanted: InspectCommand, session: Session): Promise<number> => {
  const { file, input, exportName, isData, wish } = wanted;
  if (file !== undefined && exportName === undefined && (await isProgram(file, session.terminal.folder))) {
    if (isData) throw wrong('--data is about the input of an agent, and the file exports none', 'inspect');
    return inspectProgram({ file, args: input === undefined ? [] : [input], wish }, session);
  }
  if (file !== undefined && input !== undefined)
    return run(
      { name: 'run', file, input, isData, exportName, isParked: false, trace: undefined, inspect: wish },
      session,
    );
  // With no file it shows what is kept, and nothing else.
  if (file === undefined) assertStoreThere(session);
  let agent: LoadedAgent | undefined;
  return withStoreIfAny(
    session,
    () => Promise.resolve(),
    (opened) =>
      shown({ wish, session, store: opened?.store, agent: () => agent }, async () => {
        if (file !== undefined) agent = await loadAgent(file, session.terminal.folder, exportName);
        return exitCode.answered;
      }),
  );
};

interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly wish: InspectWish;
}

/** Runs a program as it is, and shows every run that it begins. */
const inspectProgram = ({ file, args, wish }: Program, session: Session): Promise<number> => {
  const { terminal, settings, sidePaint } = session;
  return shown({ wish, session, store: undefined, agent: () => undefined }, async () => {
    try {
      await runProgram(file, terminal.folder, args);
      return exitCode.answered;
    } catch (thrown) {
      // What it did until then is there to be looked at.
      terminal.stderr.write(failureLine(thrown, sidePaint, settings.debug));
      return exitCode.unanswered;
    }
  });
};

/** Opens the inspector, attached to all runs that begin in this process until it is closed. */
const shown = async (
  { wish, ...inspected }: Inspected & { readonly wish: InspectWish },
  work: () => Promise<number>,
): Promise<number> => {
  let detach = (): void => undefined;
  try {
    return await withInspector(wish, inspected, (inspector) => {
      if (inspector !== undefined) detach = attachInspector(inspector);
      return work();
    });
  } finally {
    detach();
  }
};
