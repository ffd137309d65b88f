/** A turn of the conversation: who was asked to speak, and what they said so far. */
export interface RoutedTurn {
  readonly agents: readonly string[];
  readonly completions: readonly { readonly agent: string; readonly message: string }[];
  readonly phase?: string | undefined;
  readonly reason?: string | undefined;
}

/** What a router is shown of a conversation. */
export interface RoutingContext {
  /** What the user asked in the beginning. */
  readonly user_request: string;
  /** Turns in which everybody who was asked has spoken. */
  readonly routing_history: readonly RoutedTurn[];
  /** The turn that is still open; null means: route now. */
  readonly current_routing: RoutedTurn | null;
}

/**
 * The conversation for the one who says who speaks next. It becomes the router's user message, as JSON.
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
