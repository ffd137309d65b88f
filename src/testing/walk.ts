import type { AnyStateMachine, ContextFrom, EventFromLogic, InputFrom, OutputFrom, StateValue } from 'xstate';
import type { Acted, Critiqued, Decided, Observed, Prepared } from '../machines/agent/agent-context.ts';
import type { Port } from '../contracts/runs/effect.ts';
import { TroupeError } from '../contracts/errors/error.ts';
import { isJsonObject } from '../base/json/json.ts';
import type { Ask, AskOf } from '../machines/asks.ts';
import type { Recovered } from '../machines/recovery/recovery.ts';
import type { Rules } from '../machines/rules.ts';
import type { Approval } from '../machines/tool-call/tool-call-context.ts';
import type { MachineOutput, Position } from './moves.ts';
import { begin, move } from './moves.ts';

/** The outputs of the ports of all three machines. */
export interface PortOutputs {
  readonly prepare: Prepared;
  readonly observe: Observed;
  readonly decide: Decided;
  readonly act: Acted;
  readonly critique: Critiqued;
  readonly wake: void;
  readonly recover: Recovered;
  readonly model: Decided;
  readonly tool: Acted;
  readonly approve: Approval;
  readonly pause: void;
}

/** Answers for some ports, computed from the ask. */
export type PortAnswers = { readonly [P in Port]?: (ask: AskOf<P>) => PortOutputs[P] };

/** One step of a walk: an event, or an answer to the oldest ask of one of these ports. */
export type WalkStep<M extends AnyStateMachine> = EventFromLogic<M> | PortAnswers;

/** The result of a walk. */
export interface Walk<M extends AnyStateMachine> {
  /** Every phase that announced itself, in order. */
  readonly path: readonly string[];
  readonly value: StateValue;
  readonly status: Position<M>['status'];
  readonly context: ContextFrom<M>;
  /** The machine's output; `undefined` while it is not done. */
  readonly output: OutputFrom<M> | undefined;
  /** All outputs of the machine, in order. */
  readonly outputs: readonly MachineOutput[];
  /** Unanswered asks, oldest first. */
  readonly asks: readonly Ask[];
  /** All positions, the start first: for laws that hold at every point. */
  readonly positions: readonly Position<M>[];
}

/**
 * Walks a machine through `steps` without running it: no actor, no promise, no clock.
 *
 * A list of steps is taken in order; a single set of answers is used as long as there are asks. An answer with a time
 * (`wake`, `pause`) comes exactly when it is due.
 *
 * @example
 * const { path } = walk(agentMachine, input, [{ prepare: () => ready }, { decide: () => say('42') }]);
 * path.at(-1) // => 'completed'
 *
 * @throws {TroupeError} `script.unconsumed` for an answer without an ask
 */
export const walk = <M extends AnyStateMachine>(
  machine: M,
  input: InputFrom<M>,
  steps: readonly WalkStep<M>[] | PortAnswers,
  rules?: Rules,
): Walk<M> => {
  const positions = [begin(machine, input, rules)];
  let at = startTimeOf(input);
  const goOn = (event: EventFromLogic<M>): void => {
    if (typeof event['at'] === 'number') at = event['at'];
    positions.push(move(lastOf(positions), event));
  };
  if (isList(steps)) {
    for (const step of steps) goOn(isEvent<M>(step) ? step : answerOf(lastOf(positions), step, at));
  } else {
    for (let next = answerTo(lastOf(positions), steps, at); next !== undefined;) {
      if (positions.length > LONGEST) throw endless(lastOf(positions));
      goOn(next);
      next = answerTo(lastOf(positions), steps, at);
    }
  }
  return walkOf(positions);
};

/** More steps than any machine with a stop rule needs: beyond it, the walk is an endless loop. */
const LONGEST = 5_000;

const walkOf = <M extends AnyStateMachine>(positions: readonly Position<M>[]): Walk<M> => {
  const { value, status, context, output, asks, engaged } = lastOf(positions);
  const outputs = positions.flatMap((position) => position.outputs);
  const path = outputs.flatMap((each) => (each.type === 'enter' ? [each.phase] : []));
  return { path, value, status, context, output, outputs, asks: [...asks, ...engaged], positions };
};

const lastOf = <M extends AnyStateMachine>(positions: readonly Position<M>[]): Position<M> => {
  const last = positions.at(-1);
  if (last === undefined) throw new Error('Cannot continue as the walk has not started');
  return last;
};

const isList = <M extends AnyStateMachine>(
  steps: readonly WalkStep<M>[] | PortAnswers,
): steps is readonly WalkStep<M>[] => Array.isArray(steps);

const isEvent = <M extends AnyStateMachine>(step: WalkStep<M>): step is EventFromLogic<M> => 'type' in step;

/** The clock of a walk starts at the time in the input. */
const startTimeOf = (input: unknown): number =>
  isJsonObject(input) && typeof input['at'] === 'number' ? input['at'] : 0;

const answerOf = <M extends AnyStateMachine>(
  position: Position<M>,
  answers: PortAnswers,
  at: number,
): EventFromLogic<M> => {
  const event = answerTo(position, answers, at);
  if (event !== undefined) return event;
  const wanted = Object.keys(answers).map((port) => `'${port}'`);
  const asked = [...position.asks, ...position.engaged].map(({ port }) => port);
  const message = `Cannot answer ${wanted.join(' or ')} as the machine did not ask for it: it waits for ${asked.join(', ') || 'nothing'}`;
  throw new TroupeError('script.unconsumed', message);
};

const endless = ({ value }: Position<AnyStateMachine>): TroupeError =>
  new TroupeError(
    'machine.invalid',
    `Cannot finish the walk as it does not end: ${LONGEST} answers given, still in ${JSON.stringify(value)}`,
  );

/** Returns the answer to the oldest ask for which `answers` has one. */
const answerTo = <M extends AnyStateMachine>(
  { status, asks, engaged }: Position<M>,
  answers: PortAnswers,
  now: number,
): EventFromLogic<M> | undefined => {
  const ask = status === 'active' ? [...asks, ...engaged].find(({ port }) => port in answers) : undefined;
  if (ask === undefined) return undefined;
  const at = ask.port === 'wake' || ask.port === 'pause' ? Math.max(now, ask.input.dueAt) : now;
  const event = {
    type: `answered.${ask.port}`,
    at,
    index: ask.index,
    output: respond(ask.port, ask, answers),
  };
  // The machine asked through this port, so it accepts the event that answers it.
  return event as EventFromLogic<M>;
};

const respond = <P extends Port>(port: P, ask: AskOf<P>, answers: PortAnswers): PortOutputs[P] | undefined =>
  answers[port]?.(ask);
