import { modelCallMachine } from '../../machines/model-call/model-call-machine.ts';
import { toolCallMachine } from '../../machines/tool-call/tool-call-machine.ts';
import type { Definition } from './definition.ts';

const NONE = { rules: { stop: [] }, agent: undefined, members: new Map(), hooks: [] };

/** Definitions of the two call machines, without rules or members. */
export const callDefinitions: Readonly<Record<'modelCall' | 'toolCall', Definition>> = {
  modelCall: {
    ...NONE,
    name: 'modelCall',
    description: 'A troubled model call.',
    machine: modelCallMachine,
    start: (input) => input,
  },
  toolCall: {
    ...NONE,
    name: 'toolCall',
    description: 'A tool call that needs more than one go.',
    machine: toolCallMachine,
    start: (input) => input,
  },
};
