import type { AgentCard } from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { ServerPackage } from './load-server.ts';
import type { TaskHandler } from './task-handler.ts';

/** The facts that a handler needs beside its tasks. */
export interface HandlerSetup {
  readonly tasks: TaskHandler;
  readonly card: AgentCard;
  readonly loaded: ServerPackage;
  /** Converts what was thrown to an error of the protocol. */
  readonly toError: (thrown: unknown) => Error;
}

/** All that the protocol asks for, as the package wants it: tasks, and refusals of what the card does not promise. */
export const protocolHandler = ({ tasks, card, loaded, toError }: HandlerSetup): A2ARequestHandler => {
  const { PushNotificationNotSupportedError, UnsupportedOperationError } = loaded.errors;
  const noPushing = (): Promise<never> => Promise.reject(new PushNotificationNotSupportedError());
  const once = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (thrown) {
      throw toError(thrown);
    }
  };
  async function* each<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
    try {
      yield* items;
    } catch (thrown) {
      throw toError(thrown);
    }
  }
  return {
    getAgentCard: () => Promise.resolve(card),
    getAuthenticatedExtendedAgentCard: () =>
      Promise.reject(
        new UnsupportedOperationError('Cannot give an extended card as the card does not promise one'),
      ),
    sendMessage: (params) => once(tasks.sendMessage(params)),
    sendMessageStream: (params) => each(tasks.sendMessageStream(params)),
    getTask: (params) => once(tasks.getTask(params)),
    listTasks: (params) => once(tasks.listTasks(params)),
    cancelTask: (params) => once(tasks.cancelTask(params)),
    resubscribe: (params) => each(tasks.resubscribe(params)),
    createTaskPushNotificationConfig: noPushing,
    getTaskPushNotificationConfig: noPushing,
    listTaskPushNotificationConfigs: noPushing,
    deleteTaskPushNotificationConfig: noPushing,
  };
};
