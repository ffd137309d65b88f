import type { PlannedCall } from '../machines/agent/call-plan.ts';
import type { Desk } from './desk.ts';

/** Facts of a tool that the plan of a call keeps: whether it is exclusive, and whether it is unknown. */
export const plannedTool = (name: string, desk: Desk): Pick<PlannedCall, 'exclusive' | 'isUnknown'> => {
  const tool = desk.tools.find(name);
  return tool === undefined ? { exclusive: false, isUnknown: true } : { exclusive: tool.exclusive };
};
