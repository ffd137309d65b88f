import type { ToolAsk } from '../machines/asks.ts';
import type { Approval } from '../machines/tool-call-context.ts';
import { describeCall } from './describe-call.ts';
import type { Desk } from './desk.ts';

/** Asks a person whether a call may run. Where nobody can answer, the answer is no. */
export const approve = async ({ call, context }: ToolAsk, desk: Desk): Promise<Approval> => {
  const description = describeCall(desk.tools.find(call.name), call);
  const { path } = context.run;
  desk.emit({
    type: 'tool.approval-requested',
    callId: call.id,
    tool: call.name,
    input: call.input,
    description,
  });
  const answer = await desk.approve({
    callId: call.id,
    path,
    tool: call.name,
    input: call.input,
    description,
  });
  if (answer.isApproved) desk.emit({ type: 'tool.approved', callId: call.id, tool: call.name });
  else
    desk.emit({
      type: 'tool.denied',
      callId: call.id,
      tool: call.name,
      ...(answer.reason === undefined ? {} : { reason: answer.reason }),
    });
  return answer;
};
