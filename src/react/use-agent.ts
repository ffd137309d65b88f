import { useEffect, useState, useSyncExternalStore } from 'react';
import { TroupeError } from '../contracts/errors/error.ts';
import { AgentSession } from './agent-session.ts';
import type { AgentSessionView, UseAgentOptions, ViewedAgent } from './agent-session-view.ts';

/**
 * An agent or a team owned by a component: its streaming text, activity and requests, and the functions to talk with it. Consecutive runs
 * are one conversation.
 *
 * The run lives as long as the component is mounted. Mounted twice by StrictMode, or refreshed after an edit, it is not started twice;
 * hidden by `<Activity>` it is stopped, and continues when it is shown again (an interrupted tool call is repeated only if that is safe);
 * unmounted it is aborted, or suspended in a `store` (unless `onStop: 'abort'`). Rendered on a server it is `idle`.
 *
 * An agent recreated under the same name, inline or by an edit, is used from the next run on; another name starts a new session.
 *
 * @example
 * const { messages, text, isStreaming, send, stop } = useAgent(clerk);
 *
 * @throws {TroupeError} `agent.invalid` for what is not an agent, or not an object of options.
 */
export const useAgent = <Input, Output>(
  agent: ViewedAgent<Input, Output>,
  options: UseAgentOptions<Input> = {},
): AgentSessionView<Input, Output> => {
  assertUsable(agent, options);
  const [known, setKnown] = useState(() => new AgentSession(agent, options));
  let session = known;
  if (known.name !== agent.name) {
    session = new AgentSession(agent, options);
    setKnown(session);
  }
  // Runs before attaching, which comes after it in the same component.
  useEffect(() => {
    session.update(agent, options);
  });
  useEffect(() => session.attach(), [session]);
  const { getSnapshot } = session;
  const [idle] = useState(() => getSnapshot());
  return useSyncExternalStore(session.subscribe, getSnapshot, () => idle);
};

/** JavaScript callers may pass anything. */
const assertUsable = (agent: unknown, options: unknown): void => {
  const isAgent = typeof Reflect.get(Object(agent), 'logicWith') === 'function';
  if (isAgent && typeof options === 'object' && options !== null) return;
  const found = isAgent ? `its options are ${String(options)}` : `it is not an agent: ${String(agent)}`;
  throw new TroupeError('agent.invalid', `Cannot use an agent in a component as ${found}`);
};
