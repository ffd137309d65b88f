import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import { termsOf } from '../../contracts/people/approval-terms.ts';
import { parseVerdict } from '../../contracts/tools/parse-verdict.ts';
import type { ProposedCall, SafetyStrategy, SafetyVerdict } from '../../contracts/tools/safety.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import { needsApproval } from '../../actors/acting/describe-call.ts';
import { earlierCalls } from '../../actors/acting/earlier-calls.ts';
import type { AskOf } from '../../machines/asks.ts';
import { failure, success } from '../../tools/calls/tool-result.ts';
import type { Floor } from './floor.ts';
import type { Player } from './world.ts';
import { agentsAbove, principalOf } from './world.ts';
import type { CallEnd } from './call-end.ts';
import { FAILED } from './call-end.ts';

type CallAsk = AskOf<'act' | 'tool'>;

const EFFORT = { durationMs: 0, attempts: 1 };

/** Begins and ends calls of tools as the runtime does, without executing them: judged by the run's policy, approved, started, finished. */
export class CallDesk {
  readonly #safety: SafetyStrategy | undefined;

  constructor(safety: SafetyStrategy | undefined) {
    this.#safety = safety;
  }

  /** Begins a call; true if it was answered at once: denied, unknown, or in need of a person. */
  begin(stage: Floor, player: Player, ask: CallAsk): boolean {
    const { call, isApproved } = ask.input;
    const speaker = principalOf(player, stage.players);
    const { id: callId, name: tool, input } = call;
    const isFirst = ask.attempt === 1 && !isApproved;
    if (isFirst) stage.emit({ type: 'tool.requested', callId, tool, input }, speaker, ask, ask.step, 'ACT');
    const found = speaker.part.tools.get(tool);
    const said = found === undefined || !isFirst ? ALLOW : this.#judge(found, speaker, ask, stage.players);
    if (said.verdict === 'deny') return this.#deny(stage, player, ask, said.reason, said.rule);
    const isAsked =
      said.verdict === 'ask' ||
      (isFirst && found !== undefined && needsApproval(found, call, said.rule) !== undefined);
    if (isAsked) {
      const terms = said.verdict === 'ask' ? { terms: termsOf(said) } : {};
      const { index, attempt } = ask;
      const output = { kind: 'trouble', index, attempt, waitMs: 0, needsApproval: true, ...terms };
      stage.answer(player.path, ask, 'answered', { output }, ask);
      return true;
    }
    const start = {
      type: 'tool.started',
      callId,
      tool,
      input,
      description: tool,
      attempt: ask.attempt,
    } as const;
    const place = { path: speaker.path, agent: speaker.agent, at: stage.now };
    const violation = stage.audience.wouldViolate({ body: start, step: ask.step, phase: 'ACT' }, place);
    if (violation !== undefined) return this.#deny(stage, player, ask, violation.reason, violation.rule);
    stage.emit(start, speaker, ask, ask.step, 'ACT');
    return false;
  }

  /** Asks a person about a call. */
  ask(stage: Floor, player: Player, ask: AskOf<'approve'>): void {
    const {
      key,
      step,
      input: { call },
    } = ask;
    const { id: callId, name: tool, input } = call;
    stage.emit(
      { type: 'tool.approval-requested', id: key, callId, tool, input, description: tool },
      principalOf(player, stage.players),
      ask,
      step,
      'ACT',
    );
  }

  /** A person says yes or no. */
  approve(stage: Floor, player: Player, ask: AskOf<'approve'>, isApproved: boolean, token: object): void {
    const { id: callId, name: tool } = ask.input.call;
    const type = isApproved ? 'tool.approved' : 'tool.denied';
    stage.emit(
      { type, id: ask.key, callId, tool },
      principalOf(player, stage.players),
      token,
      ask.step,
      'ACT',
    );
    stage.answer(player.path, ask, 'answered', { output: { isApproved } }, token);
  }

  /** Ends a call that was begun. */
  finish(stage: Floor, player: Player, ask: CallAsk, returned: CallEnd, token: object): void {
    const { call } = ask.input;
    const result =
      returned === FAILED
        ? failure(call, 'execution', failureOf(call.name), EFFORT)
        : success(call, returned, EFFORT);
    const facts = result.ok ? {} : { error: result.error };
    stage.emit(
      {
        type: 'tool.finished',
        callId: call.id,
        tool: call.name,
        ok: result.ok,
        text: result.text,
        durationMs: 0,
        ...facts,
      },
      principalOf(player, stage.players),
      token,
      ask.step,
      'ACT',
    );
    stage.answer(player.path, ask, 'answered', { output: { kind: 'result', result } }, token);
  }

  /** Says of a call that was begun that it will not be finished, as its agent has ended. */
  abandon(stage: Floor, speaker: Player, { step, input: { call } }: CallAsk): void {
    const text = `Cannot finish '${call.name}' as its agent ended first`;
    const error: ErrorData = { code: 'tool.cancelled', message: text, retryable: 'no' };
    const end = { ok: false, text, durationMs: 0, error, synthesised: true } as const;
    stage.emit(
      { type: 'tool.finished', callId: call.id, tool: call.name, ...end },
      speaker,
      end,
      step,
      'ACT',
    );
  }

  #deny(stage: Floor, player: Player, ask: CallAsk, reason: string, rule: string | undefined): true {
    const { call } = ask.input;
    const why = { reason, ...(rule === undefined ? {} : { rule }) };
    stage.emit(
      { type: 'tool.denied', callId: call.id, tool: call.name, ...why },
      principalOf(player, stage.players),
      why,
      ask.step,
      'ACT',
    );
    const error: ErrorData = {
      code: 'tool.denied',
      message: `Cannot run '${call.name}' as ${reason}`,
      retryable: 'no',
    };
    stage.answer(player.path, ask, 'answered', {
      output: { kind: 'result', result: failure(call, 'denied', error, EFFORT) },
    });
    return true;
  }

  #judge(
    tool: Tool,
    speaker: Player,
    { step, input: { call, context } }: CallAsk,
    players: Floor['players'],
  ): SafetyVerdict {
    if (this.#safety === undefined) return ALLOW;
    const proposed: ProposedCall = {
      callId: call.id,
      runId: context.run.runId,
      path: speaker.path,
      agent: speaker.agent,
      step,
      tool: call.name,
      facts: tool.undeclared === true ? { ...tool, safety: 'write' } : tool,
      input: call.input,
      context: undefined,
      at: context.tally.now,
      environment: undefined,
      above: agentsAbove(speaker, players),
      earlier: earlierCalls(context),
      origins: [],
      signal: NEVER,
    };
    let said: unknown;
    try {
      said = this.#safety(proposed);
    } catch (thrown) {
      return { verdict: 'deny', reason: `the safety strategy failed: ${messageOf(thrown)}` };
    }
    if (!isThenable(said)) return parseVerdict(said);
    said.then(undefined, () => undefined);
    throw new TroupeError(
      'input.invalid',
      `Cannot make the proof as its \`safety\` takes time to judge '${call.name}': give a policy whose rules answer at once`,
    );
  }
}

const ALLOW: SafetyVerdict = { verdict: 'allow' };
const NEVER = new AbortController().signal;

const failureOf = (tool: string): ErrorData => ({
  code: 'tool.failed',
  message: `Cannot finish '${tool}' as it failed`,
  retryable: 'no',
  tool,
});
