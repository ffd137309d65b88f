import { readGiven, takenHistory } from '../content/read-given.ts';
import { checkLogicOptions } from './logic-schema.ts';
import type { AnyStateMachine } from 'xstate';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Definition } from '../define/definition.ts';
import { outcomeOfFailure } from '../run/result.ts';
import type { MachineSnapshot } from '../turn/turn-record.ts';
import { firstTurn } from '../turn/turn.ts';
import type { AgentLogic, LogicChart } from './agent-types.ts';
import { faceLogic } from './face-logic.ts';
import { bareSnapshot, snapshotOf } from './face-snapshot.ts';
import { readKept } from './kept-run.ts';
import type { LogicOptions } from './logic-options.ts';
import { Seat } from './seat.ts';

const logics = new WeakMap<Definition, AnyStateMachine>();

/** The actor logic of a definition: each actor made from it is the root of its own run. */
export const agentLogic = <Input, Output, Chart extends LogicChart>(
  definition: Definition,
): AgentLogic<Input, Output, Chart> => {
  const known = logics.get(definition) ?? logicOf(definition, {});
  logics.set(definition, known);
  return typeLogic<Input, Output, Chart>(known);
};

/**
 * Like {@link agentLogic}, with run options.
 *
 * @throws {TroupeError} `agent.invalid` for `onStop: 'suspend'` without a store: there is nothing that the run could be resumed from.
 */
export const agentLogicWith = <Input, Output, Chart extends LogicChart>(
  definition: Definition,
  options: LogicOptions,
): AgentLogic<Input, Output, Chart> => {
  const { onStop, store } = checkLogicOptions(options, `a logic of '${definition.name}'`);
  if (onStop === 'suspend' && store === undefined)
    throw new TroupeError(
      'agent.invalid',
      `Cannot make a logic of '${definition.name}' as there is no store to resume the run from: found onStop 'suspend', write store: sqliteStore('./runs.db')`,
    );
  return typeLogic<Input, Output, Chart>(logicOf(definition, { ...options }));
};

/** The machine's types are generic; those of the logic are the definition's. */
const typeLogic = <Input, Output, Chart extends LogicChart>(
  logic: unknown,
): AgentLogic<Input, Output, Chart> => logic as AgentLogic<Input, Output, Chart>;

const logicOf = (definition: Definition, options: LogicOptions): AnyStateMachine =>
  faceLogic(definition.machine, {
    begin: (scope, input) => {
      const seat = new Seat({
        definition,
        options,
        input,
        latest: firstSnapshot(definition, options, input),
      });
      seat.root.scope = scope;
      return seat.root.snapshot();
    },
    restore: (given, scope) => {
      const { machine, name } = definition;
      const read = readKept(given, name, options);
      const seat =
        'kept' in read
          ? new Seat({ definition, options, kept: read.kept, latest: snapshotOf(machine, read.kept.chart) })
          : new Seat({
              definition,
              options,
              latest: read.chart === undefined ? bareSnapshot(machine) : snapshotOf(machine, read.chart),
              refusal: {
                ...outcomeOfFailure(read.error.code, read.error.message, NO_TIME),
                error: read.error.data,
              },
            });
      return seat.restore(scope, 'kept' in read ? read.kept : undefined);
    },
    start: ({ home }) => {
      if (home instanceof Seat) home.start();
    },
    stop: ({ home }) => {
      if (home instanceof Seat) home.park();
    },
    persist: ({ home }) => (home instanceof Seat ? { troupe: home.keep() } : {}),
  });

/** Time before the start of a run: only its journal reads its clock. */
const NO_TIME = 0;

/** The snapshot before a run starts: the machine's first state, without carrying out its outputs. */
const firstSnapshot = (definition: Definition, options: LogicOptions, input: unknown): MachineSnapshot => {
  const { machine, name: path } = definition;
  const at = NO_TIME;
  try {
    const given = readGiven(definition, input, options);
    const placement = { runId: options.runId ?? '', path, at, history: takenHistory(given.options) };
    return (
      firstTurn(definition, definition.start(given.input, placement), at).record.snapshot ??
      bareSnapshot(machine)
    );
  } catch {
    return bareSnapshot(machine);
  }
};
