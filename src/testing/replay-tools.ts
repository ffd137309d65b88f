import { canonical } from '../base/json/canonical.ts';
import { keyInRun } from '../contracts/runs/effect.ts';
import { toError } from '../contracts/errors/error.ts';
import { toJson } from '../base/json/json.ts';
import type { Checked } from '../base/schemas/schema.ts';
import { isThenable } from '../base/promises/thenable.ts';
import type { Tool, ToolContext } from '../contracts/tools/tool.ts';
import { DeterminismError } from '../runtime/journal/replay/determinism-error.ts';
import type { ToolSpec } from '../contracts/tools/tool-call.ts';
import { tool } from '../tools/define/define-tool.ts';
import { isOwnTool, standIn } from '../tools/define/own-tools.ts';
import { dual } from '../tools/calls/tool-result.ts';
import type { Cassette, RecordedCall } from './cassette.ts';
import { callName, cassetteFrom } from './cassette.ts';
import type { Replaying } from './replay-model.ts';
import { leftOver } from './replay-model.ts';

/** The tools of a recorded run. */
export interface ReplayedTools extends Replaying {
  readonly tools: readonly Tool[];
}

/**
 * Tools that replay the results of a recorded run without executing anything: by agent, step and call.
 *
 * Given the real tools, each keeps its own facts (schema, safety, approvals, retries); otherwise they are made from
 * their descriptions for the model, with safety `read`. They are strict: a call that is not on record, or has another
 * input, fails with `journal.diverged`, as does one of a real tool that was never called. `find_tools` and `read_result` are
 * replayed where the run called them.
 *
 * @example
 * const { tools, assertReplayed } = replayTools('test/recordings/refund.jsonl', [refund, lookUp]);
 * await agent({ name: 'clerk', tools }).run('…', { model: replayModel('test/recordings/refund.jsonl') });
 * assertReplayed();
 *
 * @throws {TroupeError} `journal.failed` where the file cannot be read; `journal.corrupt`, `journal.version`.
 */
export const replayTools = (file: string, real?: readonly Tool[]): ReplayedTools => {
  const cassette = cassetteFrom(file);
  const left = new Set(
    [...cassette.calls].filter(([, { result }]) => result !== undefined).map(([name]) => name),
  );
  const execute = (like: Pick<Tool, 'name' | 'check'>, input: unknown, context: ToolContext): unknown => {
    const { name } = like;
    const place = callName(context.path, context.step, context.callId, context.attempt);
    const recorded = cassette.calls.get(place);
    if (recorded?.tool !== name) throw unmockedError(cassette, context, name, input);
    const play = (expected: Checked<unknown>): unknown => {
      if (!expected.ok || canonical(toJson(expected.value)) !== canonical(toJson(input)))
        throw otherInput(cassette, recorded, input);
      left.delete(place);
      return playCall(recorded);
    };
    // The record has the model's input; a tool receives the output of its schema.
    const expected = like.check(recorded.input);
    return isThenable(expected) ? Promise.resolve(expected).then(play) : play(expected);
  };
  const toolOf = (spec: ToolSpec): Tool => {
    const made: Tool = tool({
      ...spec,
      safety: 'read',
      dynamicSchema: true,
      execute: (input, context) => execute(made, input, context),
    });
    return made;
  };
  const tools =
    real === undefined
      ? [...cassette.tools.values()].filter(({ name }) => !isOwnTool(name)).map(toolOf)
      : real.map((each): Tool => ({
          ...each,
          // A getter is not copied.
          parameters: each.parameters,
          execute: (input, context) => execute(each, input, context),
        }));
  const own = new Set([...cassette.calls.values()].map(({ tool: name }) => name).filter(isOwnTool));
  return {
    tools: [
      ...tools,
      ...[...own].map((name) => standIn(toolOf(cassette.tools.get(name) ?? plainSpec(name)))),
    ],
    assertReplayed: () => {
      for (const name of left) throw leftOver(cassette, `tool call ${name}`);
    },
  };
};

const plainSpec = (name: string): ToolSpec => ({ name, description: name, parameters: { type: 'object' } });

/** Returns the recorded result as its tool did, or throws its failure. */
export const playCall = ({ result, error }: RecordedCall): unknown => {
  if (result?.ok === true) {
    const { text, parts, value, artifacts, control } = result;
    return dual({
      ...(parts === undefined ? { text } : { parts }),
      value,
      ...(artifacts === undefined ? {} : { artifacts }),
      ...(control === undefined ? {} : { control }),
    });
  }
  const failure = result?.error ?? error;
  throw failure === undefined ? new Error('it failed') : toError(failure);
};

const unmockedError = ({ runId }: Cassette, { path, step, key }: ToolContext, tool: string, input: unknown) =>
  new DeterminismError({
    runId,
    path,
    step,
    expected: null,
    found: { call: keyInRun({ key, runId }), tool, input: toJson(input) },
  });

const otherInput = ({ runId }: Cassette, { path, step, tool, input }: RecordedCall, found: unknown) =>
  new DeterminismError({
    runId,
    path,
    step,
    expected: { tool, input },
    found: { tool, input: toJson(found) },
  });
