import { messageOf } from '../../contracts/errors/error.ts';
import { APPROVE_PROVIDER_CALL } from '../../contracts/tools/provider-approval.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { Checked } from '../../base/schemas/schema.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import type { ToolAsk } from '../../machines/asks.ts';
import type { Approval } from '../../machines/tool-call/tool-call-context.ts';
import { describeCall } from './describe-call.ts';
import type { CallChange, CallWish, Desk } from '../desk.ts';

/** Asks a person whether a call may run. Denied if nobody can answer. */
export const approve = ({ call, error }: ToolAsk, desk: Desk): Promise<Approval> => {
  const tool = desk.tools.find(call.name);
  const check = call.name === APPROVE_PROVIDER_CALL ? asItIs : checkBy(tool);
  const wish = wishFor('approval', tool, call);
  return desk.approve(error === undefined ? wish : { ...wish, error }, check);
};

/** The arguments of a provider's call are its own: it takes yes or no. */
const asItIs: CallChange = () => notFitting('the provider makes the call as it is');

/** The request for a person about a call. */
export const wishFor = (kind: CallWish['kind'], tool: Tool | undefined, call: ToolAsk['call']): CallWish => ({
  kind,
  callId: call.id,
  tool: call.name,
  input: call.input,
  description: describeCall(tool, call),
});

/** Validates changed arguments like those of the call; a schema that throws accepts nothing. */
export const checkBy =
  (tool: Tool | undefined): CallChange =>
  (input) => {
    if (tool === undefined) return notFitting('there is no such tool');
    try {
      const checked = tool.check(input);
      return isThenable(checked) ? Promise.resolve(checked).catch(notFitting) : checked;
    } catch (thrown) {
      return notFitting(thrown);
    }
  };

const notFitting = (thrown: unknown): Checked<unknown> => ({
  ok: false,
  issues: [{ path: '', message: messageOf(thrown) }],
});
