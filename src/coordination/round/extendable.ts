import type { AnyStateMachine } from 'xstate';

/** A setup of XState: makes machines of its actions and guards. */
interface Setup {
  readonly createMachine: (config: never) => object;
}

type Implementations = Parameters<AnyStateMachine['provide']>[0];

/** Adds `extend` to a setup of XState where it has none, which is so before 5.24. */
export const extendable = <Team extends Setup>(team: Team): Team => {
  if ('extend' in team) return team;
  const extend = (more: Implementations) =>
    extendable({
      ...team,
      createMachine: (config: never) => {
        // What a setup makes is a machine; of which types is not known here.
        const machine = team.createMachine(config) as AnyStateMachine;
        return machine.provide(more);
      },
    });
  return { ...team, extend };
};
