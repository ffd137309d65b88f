/** A turn of the conversation: the agents asked to speak, and their messages so far. */
export interface RoutedTurn {
  readonly agents: readonly string[];
  readonly completions: readonly { readonly agent: string; readonly message: string }[];
  readonly phase?: string | undefined;
  readonly reason?: string | undefined;
}

/** A conversation as shown to a router. */
export interface RoutingContext {
  /** The user's initial request. */
  readonly user_request: string;
  /** Turns in which all agents that were asked have spoken. */
  readonly routing_history: readonly RoutedTurn[];
  /** The open turn; null means: route now. */
  readonly current_routing: RoutedTurn | null;
}

/**
 * Builds a conversation for the router, which selects the next speaker. It becomes the router's user message, as JSON.
 *
 * @example
 * routingContext('Build it', []).current_routing // => null
 */
export const routingContext = (request: string, turns: readonly RoutedTurn[]): RoutingContext => {
  const isDone = ({ agents, completions }: RoutedTurn): boolean =>
    agents.every((agent) => completions.some((completion) => completion.agent === agent));
  return {
    user_request: request,
    routing_history: turns.filter(isDone),
    current_routing: turns.findLast((turn) => !isDone(turn)) ?? null,
  };
};
