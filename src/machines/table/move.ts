import type { EventObject } from 'xstate';
import type { Act, Guard, OwnFunction, TableScope } from './act.ts';
import { resolveOutput } from './act.ts';
import type { Configuration, Judge, Step } from './configuration.ts';
import type { TableArrow } from './table-state.ts';

/** The argument of a machine's own functions. */
interface Given extends TableScope {
  readonly context: object;
  readonly event: EventObject;
  readonly spawn: () => never;
}

/** A move in progress: the current context, the current event, and raised ones. */
export class Move implements Judge {
  context: object;
  event: EventObject;
  /** Output of the machine, once it is done. */
  output: unknown;
  readonly #scope: TableScope;
  /** The machine's `output` definition. */
  readonly #machineOutput: unknown;
  #raised: EventObject[] | undefined;
  #last: Given | undefined;

  constructor(context: object, event: EventObject, scope: TableScope, machineOutput: unknown) {
    this.context = context;
    this.event = event;
    this.#scope = scope;
    this.#machineOutput = machineOutput;
  }

  /** The step for the event; a guard that throws is reported with its place. */
  answer(configuration: Configuration): Step | undefined {
    return configuration.answer(this.event.type, this);
  }

  /** The eventless step. */
  goOn(configuration: Configuration): Step | undefined {
    return configuration.goOn(this);
  }

  /** Takes the next raised event; false if there is none. */
  takeRaised(): boolean {
    const event = this.#raised?.shift();
    if (event === undefined) return false;
    this.event = event;
    return true;
  }

  perform(acts: readonly Act[]): void {
    for (const act of acts) {
      switch (act.kind) {
        case 'run':
          act.run(this.#given, act.params);
          break;
        case 'assign':
          this.context = { ...this.context, ...(act.assign(this.#given, act.params) as object) };
          break;
        case 'assignKeys':
          this.context = { ...this.context, ...valuesOf(act.keys, this.#given, act.params) };
          break;
        case 'done':
          (this.#raised ??= []).push(this.#doneEvent(act.of, act.output));
          break;
        case 'end':
          this.output = this.#outputAfter(act.of, act.output);
      }
    }
  }

  mayAnswer(arrow: TableArrow): boolean {
    const { guard } = arrow;
    if (guard === undefined) return true;
    try {
      return this.#holds(guard);
    } catch (thrown) {
      throw badGuard(guard, arrow, this.event, thrown as Error);
    }
  }

  mayGoOn({ guard }: TableArrow): boolean {
    return guard === undefined || this.#holds(guard);
  }

  #holds({ holds, params }: Guard): boolean {
    return Boolean(holds(this.#given, params));
  }

  /** The argument as things stand: the same object for as long as nothing changes, so that a function that keeps it does not see it change. */
  get #given(): Given {
    const { context, event } = this;
    const last = this.#last;
    if (last?.context === context && last.event === event) return last;
    const { self, system } = this.#scope;
    return (this.#last = { context, event, spawn: refuseToSpawn, self, system });
  }

  #doneEvent(of: string, output: unknown): EventObject {
    const left = resolveOutput(output, this.context, this.event, this.#scope);
    return { type: `xstate.done.state.${of}`, output: left } as EventObject;
  }

  #outputAfter(of: string, output: unknown): unknown {
    if (this.#machineOutput === undefined) return undefined;
    return resolveOutput(this.#machineOutput, this.context, this.#doneEvent(of, output), this.#scope);
  }
}

const valuesOf = (keys: Readonly<Record<string, unknown>>, given: object, params: unknown): object =>
  Object.fromEntries(
    Object.entries(keys).map(([key, value]) => [
      key,
      typeof value === 'function' ? (value as OwnFunction)(given, params) : value,
    ]),
  );

/** Throws, as troupe's machines have no children. */
export const refuseToSpawn = (): never => {
  throw new TypeError('Cannot spawn an actor in a context: engage it as an output instead');
};

/** The same text as XState throws, without a cause, so that a run ends with the same error. */
const badGuard = ({ name }: Guard, { source }: TableArrow, { type }: EventObject, thrown: Error): Error => {
  const guard = name === undefined ? '' : `'${name}' `;
  return new Error(
    `Unable to evaluate guard ${guard}in transition for event '${type}' in state node '${source.id}':\n${thrown.message}`,
  );
};
