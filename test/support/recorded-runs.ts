import { z } from 'zod';
import type { Json } from '../../src/base/json/json.ts';
import { isTroupeError, type TroupeError } from '../../src/contracts/errors/error.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { mockProvider, type Reply, type SeenRequest } from './mock-provider.ts';
import { type AnyRecording, modelFor, recordedReply, type RecordedStream } from './provider-streams.ts';
import { says } from './wire-answers.ts';

/** What a run comes to whose first answer was recorded. */
export interface RecordedRun {
  readonly result?: RunResult<unknown>;
  /** The error with which it failed. */
  readonly error?: TroupeError;
  /** The calls that its tools carried out. */
  readonly executed: readonly { readonly name: string; readonly input: Json }[];
  readonly requests: readonly SeenRequest[];
}

interface Ways {
  /** The model at a server. */
  readonly make: (url: string) => Model;
  /** The first reply. Default: the recording, whole. */
  readonly reply?: Reply;
  /** The reply that says `Done.` after it. */
  readonly done: Reply;
}

export const resultOf = (name: string): string => `${name} has come back.`;

/** Runs a clerk with the adapter of the recording's kind, as `runRecordedBy` does. */
export const runRecorded = (recorded: RecordedStream, ways: Partial<Ways> = {}): Promise<RecordedRun> =>
  runRecordedBy(recorded, {
    make: (url) => modelFor(recorded.kind, { url }, recorded.profile),
    done: says(recorded.kind, 'Done.'),
    ...ways,
  });

/** Runs a clerk over HTTP whose first answer is a recorded one, with tools for its calls; it is asked again if it made none. */
export const runRecordedBy = async (
  recorded: AnyRecording,
  { make, done, reply = recordedReply(recorded) }: Ways,
): Promise<RecordedRun> => {
  const executed: { readonly name: string; readonly input: Json }[] = [];
  await using provider = await mockProvider(reply, done);
  const names = new Set(recorded.tool_calls?.map(({ name }) => name));
  const clerk = agent({
    name: 'clerk',
    model: make(provider.url),
    failures: { retry: { attempts: 1 } },
    tools: [...names].map((name) =>
      tool({
        name,
        description: 'Does what it says.',
        input: z.looseObject({}),
        execute: (input) => {
          executed.push({ name, input: input as Json });
          return resultOf(name);
        },
      }),
    ),
  });
  const ended = async (): Promise<Pick<RecordedRun, 'result' | 'error'>> => {
    try {
      const result = await clerk.run('Well?');
      if (names.size === 0 && result.status === 'completed')
        await clerk.run('And now?', { history: result.transcript });
      return { result };
    } catch (thrown) {
      if (!isTroupeError(thrown)) throw thrown;
      return { error: thrown };
    }
  };
  return { ...(await ended()), executed, requests: provider.requests };
};
