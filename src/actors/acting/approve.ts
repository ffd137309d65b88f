import { messageOf } from '../../contracts/errors/error.ts';
import { APPROVE_PROVIDER_CALL } from '../../contracts/tools/provider-approval.ts';
import { andThen, isThenable } from '../../base/promises/thenable.ts';
import type { Checked } from '../../base/schemas/schema.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import type { ToolAsk } from '../../machines/asks.ts';
import type { Approval } from '../../machines/tool-call/tool-call-context.ts';
import type { Effect } from '../../contracts/runs/effect.ts';
import type { Approver } from '../../contracts/people/approval-terms.ts';
import { refusalOfApproval, unmetTerms } from '../../contracts/people/approval-terms.ts';
import type { SafetyVerdict } from '../../contracts/tools/safety.ts';
import { consultSafety } from './consult-safety.ts';
import { describeCall } from './describe-call.ts';
import type { CallChange, CallWish, Desk } from '../desk.ts';

/** Asks a person whether a call may run. Denied if nobody can answer. */
export const approve = (effect: Effect, ask: ToolAsk, desk: Desk): Promise<Approval> => {
  const { call, error, terms } = ask;
  const tool = desk.tools.find(call.name);
  const check = call.name === APPROVE_PROVIDER_CALL ? asItIs : judgedChange(tool, effect, ask, desk);
  const wish = { ...wishFor('approval', tool, call), ...terms };
  return desk.approve(error === undefined ? wish : { ...wish, error }, check);
};

/** Validates changed arguments, and has them judged: they are another call. */
const judgedChange = (tool: Tool | undefined, effect: Effect, ask: ToolAsk, desk: Desk): CallChange => {
  const check = checkBy(tool);
  if (tool === undefined || desk.safety === undefined) return check;
  return (input, by) =>
    andThen(check(input), (checked) => {
      if (!checked.ok) return checked;
      const changed = { ...ask, call: { ...ask.call, input } };
      return andThen(consultSafety(tool, effect, changed, desk), (said) => {
        const refused = changeRefused(said, by);
        return refused === undefined ? checked : notFitting(refused);
      });
    });
};

/** The reason why a call with changed arguments is not made by this yes. */
const changeRefused = (said: SafetyVerdict, by: Approver | undefined): string | undefined => {
  if (said.verdict === 'allow') return undefined;
  if (said.verdict === 'deny') return `the call would be denied: ${said.reason}`;
  const refusal = refusalOfApproval(said, [], by);
  if (refusal !== undefined || by === undefined) return refusal;
  return unmetTerms(said, [by]).length === 0 ? undefined : 'it then needs several people';
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
