import type { OptionsOwner } from '../../contracts/errors/check-options.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { KeepBlob } from '../../contracts/content/read-content.ts';
import { readParts } from '../../contracts/content/read-content.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import { shapeOf, shapeWithout } from '../../base/schemas/option-schemas.ts';
import type { AnyAgent } from '../define/agent-registry.ts';
import type { Definition } from '../define/definition.ts';
import { definitionOf } from '../define/definition.ts';
import { runShape } from '../run/run-schema.ts';
import type { ModelCall } from './model-call.ts';
import type { AnswerPart, ModelResult, ModelWarning, StreamedPart } from './model-part.ts';
import { ModelRun } from './model-run.ts';

/** An agent as a language model of the AI SDK: its specification, version 3. */
export interface AgentLanguageModel {
  readonly specificationVersion: 'v3';
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]>;
  doGenerate(call: ModelCall): Promise<ModelResult>;
  doStream(call: ModelCall): Promise<{ stream: ReadableStream<StreamedPart> }>;
}

/**
 * An agent or a team as a language model of the AI SDK, for `generateText`, `streamText` and whatever else takes one.
 *
 * Its options are those of all its runs; `runId`, `thread`, `context`, `task` and `limits` of one call are its
 * `providerOptions.troupe`.
 *
 * A call is a run: the last message is its input, those before are its history. What a run does not take (a system
 * prompt, tools and settings of the caller …) is left out, with a warning each. Calls of the agent's tools are shown as
 * executed by the provider; the text of `generateText` is the output, and the last text of a stream is.
 *
 * A run that would wait for a person fails its call: with a `store` it is suspended (`run.suspended`), without one aborted
 * (`run.aborted`), and `details.requests` of the error has what is asked. A `person` answers within the call.
 *
 * @example
 * const { text } = await generateText({ model: asLanguageModel(clerk), prompt: 'Book a room.' });
 *
 * @throws {TroupeError} `agent.invalid` for what is no agent, `input.invalid` for unknown options. Calls reject with
 * `input.invalid` for a prompt that does not end with the user's message, with a run's error, or with the abort's reason.
 */
export const asLanguageModel = (
  agent: AnyAgent,
  options: Omit<RunOptions, 'runId' | 'history' | 'signal' | 'paused'> = {},
): AgentLanguageModel => {
  const definition = definitionOf(agent);
  if (definition === undefined)
    throw new TroupeError(
      'agent.invalid',
      `Cannot use as a language model what was not made by agent() or a team: ${foundText(agent)}`,
    );
  const { name } = definition;
  const always = check(options, `'${name}'`);
  const begin = async (call: ModelCall, isStreamed: boolean): Promise<BegunCall> => {
    const { abortSignal, providerOptions, prompt } = call;
    const { callWarnings, ModelFold, promptTurns } = await import('./call-shape.ts');
    abortSignal?.throwIfAborted();
    const own = checkOwn(ownOptions(providerOptions), `'${name}'`);
    const blobs = new Map<string, Uint8Array>();
    const keep: KeepBlob = (hash, bytes) => {
      if (bytes !== undefined) blobs.set(hash, bytes);
    };
    const { history, input } = promptTurns(name, prompt, (parts) =>
      readParts(parts, keep, always.content ?? {}),
    );
    const streamsText = isStreamed && call.responseFormat?.type !== 'json' && isText(definition);
    const run = new ModelRun({
      definition,
      fold: new ModelFold(name, streamsText),
      input: inputFor(definition, input),
      blobs,
      options: {
        ...always,
        ...own,
        ...(history.length === 0 ? {} : { history }),
        ...(abortSignal === undefined ? {} : { signal: abortSignal }),
      },
    });
    return { run, warnings: callWarnings(definition, call) };
  };
  return {
    specificationVersion: 'v3',
    provider: 'troupe',
    modelId: name,
    // Addresses are fetched by the AI SDK: whether the models of a run read them is not known.
    supportedUrls: {},
    doGenerate: async (call) => resultOf(await begin(call, false)),
    doStream: async (call) => ({ stream: await streamOf(await begin(call, true)) }),
  };
};

/** A call whose run is under way. */
interface BegunCall {
  readonly run: ModelRun;
  readonly warnings: ModelWarning[];
}

/** The options that a call may set, by `providerOptions.troupe`. */
type OwnOptions = Pick<RunOptions, 'runId' | 'thread' | 'context' | 'task' | 'limits'>;

const A_MODEL: OptionsOwner = {
  code: 'input.invalid',
  owner: 'a language model',
  verb: 'use as a language model',
};

const check = optionsCheck(A_MODEL, () => shapeWithout(runShape(), ['runId', 'history', 'signal', 'paused']));

const checkOwn = optionsCheck<OwnOptions>({ ...A_MODEL, verb: 'run by `providerOptions.troupe`' }, () =>
  shapeOf(runShape(), ['runId', 'thread', 'context', 'task', 'limits']),
);

/** JSON of anybody: checked next. */
const ownOptions = (given: ModelCall['providerOptions']): OwnOptions =>
  (given?.['troupe'] ?? {}) as OwnOptions;

/** A team's members stream nothing that is the team's. */
const isText = ({ agent }: Definition): boolean => agent === undefined || agent.schemas.output === undefined;

/** Of an agent whose input is not text, the text is its JSON; one that is none is the run's to refuse. */
const inputFor = ({ agent }: Definition, input: unknown): unknown => {
  if (agent === undefined || agent.takesText || typeof input !== 'string') return input;
  try {
    const parsed: unknown = JSON.parse(input);
    return parsed;
  } catch {
    return input;
  }
};

const resultOf = async ({ run, warnings }: BegunCall): Promise<ModelResult> => {
  const content: AnswerPart[] = [];
  let response: ModelResult['response'] = {};
  let said = '';
  for await (const part of run.parts()) {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        said += part.delta;
        break;
      case 'text-end':
      case 'reasoning-end':
        // What a retry discarded is no part of a whole answer.
        if (part.providerMetadata === undefined)
          content.push({ type: part.type === 'text-end' ? 'text' : 'reasoning', text: said });
        said = '';
        break;
      case 'tool-call':
      case 'tool-result':
        content.push(part);
        break;
      case 'response-metadata': {
        const { type: _, ...facts } = part;
        response = facts;
        break;
      }
      case 'error':
        throw part.error;
      case 'finish': {
        const { type: _, ...finish } = part;
        return { ...finish, content, warnings, response };
      }
      default:
    }
  }
  throw new TroupeError('internal', 'Cannot answer as the run did not end');
};

/**
 * The answer as a stream, once its first part is there: a run that fails before rejects the call, as the AI SDK retries
 * calls, and no streams.
 */
const streamOf = async ({ run, warnings }: BegunCall): Promise<ReadableStream<StreamedPart>> => {
  const parts = run.parts();
  const waiting: StreamedPart[] = [{ type: 'stream-start', warnings }];
  for (;;) {
    const { done, value } = await parts.next();
    if (done === true) break;
    if (value.type === 'error') {
      run.cancel();
      throw value.error;
    }
    waiting.push(value);
    if (value.type !== 'response-metadata') break;
  }
  return new ReadableStream<StreamedPart>(
    {
      pull: async (controller) => {
        const first = waiting.shift();
        if (first !== undefined) {
          controller.enqueue(first);
          return;
        }
        const { done, value } = await parts.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => {
        run.cancel();
      },
    },
    // Nothing is read ahead of the reader.
    { highWaterMark: 0 },
  );
};
