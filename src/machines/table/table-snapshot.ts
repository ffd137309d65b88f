import type { AnyMachineSnapshot, AnyStateMachine, StateValue } from 'xstate';
import type { Configuration } from './configuration.ts';

/** The position of a machine that is moved by its table. */
export class TableSnapshot {
  readonly machine: AnyStateMachine;
  readonly configuration: Configuration;
  readonly context: object;
  readonly status: 'active' | 'done';
  readonly output: unknown;
  #genuine: AnyMachineSnapshot | undefined;

  constructor(
    machine: AnyStateMachine,
    configuration: Configuration,
    context: object,
    status: 'active' | 'done',
    output: unknown,
  ) {
    this.machine = machine;
    this.configuration = configuration;
    this.context = context;
    this.status = status;
    this.output = output;
  }

  get value(): StateValue {
    return this.configuration.value;
  }

  /** The equivalent XState snapshot, with `matches` and `can`; created on first access. */
  get genuine(): AnyMachineSnapshot {
    const { machine, value, context, status, output } = this;
    return (this.#genuine ??= machine.resolveState({ value, context, status, output }));
  }
}
