import type { AgentLogic } from './face.ts';
import type { Definition } from './definition.ts';
import { liveHost, logicOf } from './live-host.ts';
import { createRun } from './start-run.ts';

const embedded = new WeakMap<Definition, unknown>();

/** The logic of a definition for somebody else's XState app: each actor made from it is the root of a run of its own. */
export const embeddedLogic = <Input, Output>(definition: Definition): AgentLogic<Input, Output> => {
  const known = embedded.get(definition);
  if (known !== undefined) return known as AgentLogic<Input, Output>;
  const logic: unknown = logicOf(definition, (scope, input) => {
    const run = createRun(definition, {}, { isAttended: true, host: liveHost() });
    run.log.mirror((event) => {
      scope.emit(event);
    });
    return { entry: run.root, input: run.started(input) };
  });
  embedded.set(definition, logic);
  return logic as AgentLogic<Input, Output>;
};
