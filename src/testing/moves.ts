import type {
  AnyMachineSnapshot,
  AnyStateMachine,
  ContextFrom,
  EventFromLogic,
  EventObject,
  InputFrom,
  OutputFrom,
  StateValue,
} from 'xstate';
import type { Ask } from '../machines/asks.ts';
import type { Output } from '../machines/outputs.ts';
import type { Engagement } from '../machines/outputs.ts';
import type { Rules } from '../machines/rules.ts';
import { activeStates, arrowsTaken } from './arrows-taken.ts';
import type { Microsteps } from './microsteps.ts';
import { initialMicrosteps, microstepsAfter } from './microsteps.ts';
import { moveUnder } from '../machines/in-force.ts';

/** A machine's output, as data; named like the methods of a `Carrier`. */
export type MachineOutput =
  | { readonly type: 'ask'; readonly ask: Ask }
  | { readonly type: 'engage'; readonly engagement: Engagement }
  | Exclude<Output, { readonly type: 'ask' | 'engage' }>;

/** The state of a machine between two events, and its last move. */
export interface Position<M extends AnyStateMachine> {
  readonly machine: M;
  readonly rules: Rules;
  readonly snapshot: AnyMachineSnapshot;
  readonly value: StateValue;
  readonly context: ContextFrom<M>;
  readonly status: AnyMachineSnapshot['status'];
  readonly output: OutputFrom<M> | undefined;
  /** The asks that wait for an answer, oldest first. */
  readonly asks: readonly Ask[];
  /** The asks whose answer a child actor was engaged to find. */
  readonly engaged: readonly Ask[];
  /** Outputs of the last move, in order. */
  readonly outputs: readonly MachineOutput[];
  /** The ids of all states that were active during the last move, transient ones included. */
  readonly states: readonly string[];
  /** The keys of the arrows that the last move took (see `Arrow` in machines/diagrams/chart). */
  readonly arrows: readonly string[];
}

/**
 * Starts a machine with `rules` in force; its outputs are recorded, not carried out.
 *
 * @example
 * begin(agentMachine, input).asks[0]?.port // => 'prepare'
 */
export const begin = <M extends AnyStateMachine>(
  machine: M,
  input: InputFrom<M>,
  rules: Rules = { stop: [] },
): Position<M> => {
  const { steps, outputs } = run(rules, () => initialMicrosteps(machine, input));
  const first = steps[0]?.[0];
  if (first === undefined) throw new Error(`Cannot start '${machine.id}' as it has no initial state`);
  const arrows = arrowsTaken([first, ...steps.slice(1).map(([snapshot]) => snapshot)], INIT);
  return positionAfter({ machine, rules }, steps, outputs, arrows, { asks: [], engaged: [] }, first);
};

/**
 * Returns the position after one event; a finished machine does not move.
 *
 * An error of a guard or a reducer is thrown, where a live actor would end with status `error`.
 *
 * @example
 * move(position, { type: 'abort', at: 0, reason: 'enough' }).value // => 'aborted'
 */
export const move = <M extends AnyStateMachine>(
  position: Position<M>,
  event: EventFromLogic<M>,
): Position<M> => {
  const { machine, rules, snapshot, status } = position;
  if (status !== 'active') return { ...position, outputs: [], states: [], arrows: [] };
  const { steps, outputs } = run(rules, () => microstepsAfter(machine, snapshot, event));
  const arrows = arrowsTaken([snapshot, ...steps.map(([each]) => each)], event, true);
  return positionAfter(position, steps, outputs, arrows, openBetween(position, event, outputs), snapshot);
};

/** The asks that `event` leaves open, and those that `outputs` hand on to child actors. */
const openBetween = (
  { asks, engaged }: Open,
  event: EventObject,
  outputs: readonly MachineOutput[],
): Open => {
  const isOpen = (ask: Ask): boolean => !isAnswerTo(event, ask);
  const left = { asks: asks.filter(isOpen), engaged: engaged.filter(isOpen) };
  const handedOn = [...asks, ...engaged].filter((ask) =>
    outputs.some((output) => output.type === 'engage' && isFor(output.engagement, ask)),
  );
  return { asks: left.asks, engaged: [...left.engaged, ...handedOn] };
};

/** The asks that are open after a move by `event` that put out `outputs`; without an event, after the start. */
export const openAfterMove = (
  before: Open,
  event: EventObject | undefined,
  outputs: readonly MachineOutput[],
): Open => openAfter(event === undefined ? before : openBetween(before, event, outputs), outputs);

type Open = Pick<Position<AnyStateMachine>, 'asks' | 'engaged'>;

const INIT: EventObject = { type: 'xstate.init' };

/** Runs a macrostep under the rules, and collects its outputs. */
const run = (
  rules: Rules,
  microsteps: () => Microsteps,
): { steps: Microsteps; outputs: readonly MachineOutput[] } => {
  const outputs: Output[] = [];
  const steps = moveUnder(rules, [], microsteps);
  moveUnder(rules, outputs, () => {
    // XState's type of a named action leaves its function out; it is there.
    const actions = steps.flatMap(([, each]) => each);
    for (const { exec, info, params } of actions) exec?.(info, params);
  });
  return { steps, outputs: outputs.flatMap(splitOutput) };
};

const positionAfter = <M extends AnyStateMachine>(
  { machine, rules }: Pick<Position<M>, 'machine' | 'rules'>,
  steps: Microsteps,
  outputs: readonly MachineOutput[],
  arrows: readonly string[],
  open: Open,
  before: AnyMachineSnapshot,
): Position<M> => {
  const snapshots = steps.map(([each]) => each);
  const snapshot = snapshots.at(-1) ?? before;
  return {
    machine,
    rules,
    snapshot,
    value: snapshot.value,
    context: snapshot.context,
    status: snapshot.status,
    output: snapshot.output,
    ...openAfter(open, outputs),
    outputs,
    states: snapshots.flatMap((each) => activeStates(each).map(({ id }) => id)),
    arrows,
  };
};

const openAfter = (open: Open, outputs: readonly MachineOutput[]): Open =>
  outputs.reduce<Open>((now, output) => {
    if (output.type === 'ask') return { ...now, asks: [...now.asks, output.ask] };
    if (output.type === 'withdraw') return { ...now, asks: [] };
    return output.type === 'dismiss' ? { ...now, engaged: [] } : now;
  }, open);

const isFor = (of: Pick<Engagement, 'port' | 'index'>, ask: Ask): boolean =>
  of.port === ask.port && of.index === ask.index;

const isAnswerTo = (event: EventObject & { readonly index?: unknown }, { port, index }: Ask): boolean =>
  (event.type === `answered.${port}` || event.type === `failed.${port}`) &&
  (event.index === undefined || event.index === index);

/** Splits outputs into single asks and engagements, which tests look for. */
export const splitOutput = (output: Output): readonly MachineOutput[] => {
  if (output.type === 'ask') return output.asks.map((ask) => ({ type: 'ask', ask }));
  return output.type === 'engage'
    ? output.engagements.map((engagement) => ({ type: 'engage', engagement }))
    : [output];
};
