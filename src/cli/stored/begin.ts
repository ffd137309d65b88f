import { randomBytes } from 'node:crypto';
import { relative } from 'node:path';
import type { Agent } from '../../contracts/agents/agent.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Model } from '../../contracts/models/model.ts';
import type { Performance } from '../perform.ts';
import { perform } from '../perform.ts';
import { withTrace } from '../trace/with-trace.ts';
import type { InspectorRequest } from '../usage/inspector-request.ts';
import type { Session } from '../session.ts';
import { withInspector } from '../with-inspector.ts';
import type { CommandRecord } from './command-record.ts';
import { keepCommand } from './command-record.ts';
import { withStoreIfAny } from './open-store.ts';

/** A run that is to begin. */
export interface Beginning {
  readonly session: Session;
  readonly model: Model | undefined;
  readonly soFar?: Performance['soFar'];
  readonly explain?: Performance['explain'];
  /** The record by which its agent is found again. */
  readonly record: CommandRecord;
  readonly isParked: boolean;
  /** A folder of traces. */
  readonly trace: string | undefined;
  readonly inspect: InspectorRequest | undefined;
}

/** A name for a run that a person can type. */
export const newRunId = (): string => randomBytes(6).toString('hex');

/** Starts a run in the foreground of the terminal; it is stored if there is a store. */
export const begin = async <Input, Output>(
  agent: Agent<Input, Output>,
  input: Input,
  { session, model, soFar, explain, record, isParked, trace, inspect: wish }: Beginning,
): Promise<number> => {
  const runId = newRunId();
  return withStoreIfAny(
    session,
    (store) => keepCommand(store, runId, record),
    (opened) => {
      if (opened === undefined && isParked)
        throw new TroupeError(
          'command.usage',
          'Cannot follow the command line as --park needs a store: without one, the run could not be resumed',
        );
      const program = record.command === 'run' ? relative(session.terminal.folder, record.file) : undefined;
      const inspected = { session, store: opened?.store, agent: () => agent, program };
      return withInspector(wish, inspected, (inspect) =>
        withTrace(trace, session, (hooks) => {
          const own = { hooks, runId, ...(inspect === undefined ? {} : { inspect }) };
          if (opened === undefined)
            return perform((options) => agent.stream(input, { ...options, ...own }), {
              session,
              model,
              soFar,
              explain,
              isAnswerable: wish?.isControlled,
            });
          const { store } = opened;
          const kept = { ...opened, runId, isParked };
          const start = (options: Parameters<typeof agent.stream>[1]) =>
            agent.stream(input, { ...options, ...own, store });
          return perform(start, { session, model, soFar, explain, kept });
        }),
      );
    },
  );
};
