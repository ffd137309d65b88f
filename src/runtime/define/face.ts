import type { DiagramSubject } from '../../machines/diagrams/composition.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import { compositionMermaid } from '../../machines/diagrams/composition-diagram.ts';
import { toMermaid } from '../../machines/diagrams/diagram.ts';
import { compositionOf } from './composition.ts';
import type { Definition } from './definition.ts';
import { define } from './definition.ts';
import { agentLogic, agentLogicWith } from '../embed/agent-logic.ts';
import type { LogicChart, TeamChart } from '../embed/agent-types.ts';
import { chartRemark } from '../turn/mover.ts';
import { runInTurn } from '../run/run-in-turn.ts';
import { checkRunOptions } from '../run/run-schema.ts';
import { startRun } from '../run/start-run.ts';
import type { EmbeddableAgent } from './embeddable-agent.ts';

/** The public object of a definition: the return value of `agent()` and the patterns. */
export const faceOf = <Input, Output, State, Chart extends LogicChart = TeamChart>(
  definition: Definition,
): EmbeddableAgent<Input, Output, State, Chart> => {
  const face: EmbeddableAgent<Input, Output, State, Chart> = {
    name: definition.name,
    description: definition.description,
    run: (input: Input, options?: RunOptions) => runInTurn<Output, State>(definition, input, options),
    stream: (input: Input, options: RunOptions = {}) => {
      checkRunOptions(definition.name, options);
      return startRun<Output, State>(definition, input, options, { isAttended: true });
    },
    diagram: ({ of = definition.drawnBy ?? 'chart' } = {}) => drawDefinition(definition, of),
    get logic() {
      return agentLogic<Input, Output, Chart>(definition);
    },
    logicWith: (options) => agentLogicWith<Input, Output, Chart>(definition, options),
  };
  define(face, definition);
  return Object.freeze(face);
};

/** An agent or a team as Mermaid text. */
const drawDefinition = (definition: Definition, of: DiagramSubject): string => {
  const { machine, name } = definition;
  switch (of) {
    case 'chart':
      return toMermaid(machine, { remark: chartRemark(machine) });
    case 'composition':
      return compositionMermaid(compositionOf(definition));
    default:
      // In JavaScript anything may stand there.
      throw new TroupeError(
        'agent.invalid',
        `Cannot draw '${name}' as what is asked for is neither 'chart' nor 'composition': found ${foundText(of)}`,
      );
  }
};
