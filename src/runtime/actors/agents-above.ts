/** An actor with the one that engaged it. */
interface Engaged {
  readonly agent: string;
  readonly parent: Engaged | undefined;
}

/** The agents and teams above an actor, the root first. */
export const agentsAbove = ({ parent }: Engaged): readonly string[] =>
  parent === undefined ? [] : [...agentsAbove(parent), parent.agent];
