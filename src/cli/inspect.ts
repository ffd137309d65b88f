import type { InspectCommand } from './command-read.ts';
import { exitCode } from './exit-code.ts';
import { loadAgent } from './load-agent.ts';
import { run } from './run.ts';
import type { Session } from './session.ts';
import { withStoreIfAny } from './stored/open-store.ts';
import { withInspector } from './with-inspector.ts';

/** `troupe inspect`: shows an agent at work, or the runs that are kept, as statecharts in a browser. */
export const inspect = async (wanted: InspectCommand, session: Session): Promise<number> => {
  const { file, input, exportName, isData, wish } = wanted;
  if (file !== undefined && input !== undefined)
    return run(
      { name: 'run', file, input, isData, exportName, isParked: false, trace: undefined, inspect: wish },
      session,
    );
  const agent = file === undefined ? undefined : await loadAgent(file, session.terminal.folder, exportName);
  return withStoreIfAny(
    session,
    () => Promise.resolve(),
    (opened) =>
      withInspector(wish, { session, store: opened?.store, agent }, () => Promise.resolve(exitCode.answered)),
  );
};
