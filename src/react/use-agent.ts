import { useEffect, useState, useSyncExternalStore } from 'react';
import { AgentSession } from './agent-session.ts';
import type { AgentSessionView, UseAgentOptions, ViewedAgent } from './agent-session-view.ts';

/**
 * An agent, or a team, of a component's own: what it says as it streams, what it does, what it wants to know, and the means to talk
 * with it. One run after the other is one conversation.
 *
 * The run lives as long as the component is shown. Mounted twice by StrictMode, or refreshed after an edit, it is not begun twice;
 * hidden by `<Activity>` it rests, and goes on when it is shown again (a tool call that was cut is made again only where that is safe);
 * unmounted it is aborted, or suspended by `onStop: 'suspend'` in a `store`. Rendered by a server it is `idle`.
 *
 * An agent made anew under the same name, inline or by an edit, is there from the next run on; another name is another session.
 *
 * @example
 * const { messages, text, isStreaming, send, stop } = useAgent(clerk);
 */
export const useAgent = <Input, Output>(
  agent: ViewedAgent<Input, Output>,
  options: UseAgentOptions<Input> = {},
): AgentSessionView<Input, Output> => {
  const [known, setKnown] = useState(() => new AgentSession(agent, options));
  let session = known;
  if (known.name !== agent.name) {
    session = new AgentSession(agent, options);
    setKnown(session);
  }
  // Before it is attached, which comes after this in the same component.
  useEffect(() => {
    session.update(agent, options);
  });
  useEffect(() => session.attach(), [session]);
  const { getSnapshot } = session;
  const [idle] = useState(() => getSnapshot());
  return useSyncExternalStore(session.subscribe, getSnapshot, () => idle);
};
