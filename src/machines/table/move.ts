import type { EventObject } from 'xstate';
import type { Act, Given, OwnFunction, TableScope } from './act.ts';
import { resolveOutput } from './act.ts';

/** A move in progress: the current context, the current event, and raised ones. */
export class Move {
  /**
   * The argument of the machine's own functions: another object as soon as the context or the event is another, so that a function
   * that keeps it does not see it change.
   */
  given: Given;
  /** Output of the machine, once it is done. */
  output: unknown;
  /** The machine's `output` definition. */
  readonly #machineOutput: unknown;
  #raised: EventObject[] | undefined;

  constructor(context: object, event: EventObject, { self, system }: TableScope, machineOutput: unknown) {
    this.given = { context, event, spawn: refuseToSpawn, self, system };
    this.#machineOutput = machineOutput;
  }

  /** Takes the next raised event; false if there is none. */
  takeRaised(): boolean {
    const event = this.#raised?.shift();
    if (event === undefined) return false;
    this.given = { ...this.given, event };
    return true;
  }

  perform(acts: readonly Act[]): void {
    for (const act of acts) {
      const { given } = this;
      switch (act.kind) {
        case 'run':
          act.run(given, act.params);
          break;
        case 'assign':
          this.#assign(act.assign(given, act.params) as object);
          break;
        case 'assignKeys':
          this.#assign(valuesOf(act.keys, given, act.params));
          break;
        case 'done':
          (this.#raised ??= []).push(this.#doneEvent(act.of, act.output));
          break;
        case 'end':
          this.output = this.#outputAfter(act.of, act.output);
      }
    }
  }

  #assign(values: object): void {
    const { given } = this;
    this.given = { ...given, context: { ...given.context, ...values } };
  }

  #doneEvent(of: string, output: unknown): EventObject {
    const { context, event } = this.given;
    const left = resolveOutput(output, context, event, this.given);
    return { type: `xstate.done.state.${of}`, output: left } as EventObject;
  }

  #outputAfter(of: string, output: unknown): unknown {
    if (this.#machineOutput === undefined) return undefined;
    return resolveOutput(this.#machineOutput, this.given.context, this.#doneEvent(of, output), this.given);
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
