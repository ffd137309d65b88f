import type { AnyStateMachine } from 'xstate';
import type { Scope } from '../turn/quiet-scope.ts';
import type { MachineSnapshot } from '../turn/turn-record.ts';
import type { Face } from './face.ts';
import { faceLogic } from './face-logic.ts';

/** The logic of the actor that shows a member, a child of a tool, or a troubled call. */
export const memberLogic = (face: Face, first: MachineSnapshot): AnyStateMachine => {
  const sit = (scope: Scope) => {
    face.scope = scope;
    return face.snapshot(first);
  };
  return faceLogic(face.definition.machine, {
    begin: sit,
    restore: (_, scope) => sit(scope),
    start: () => undefined,
    stop: () => undefined,
    persist: () => ({}),
  });
};
