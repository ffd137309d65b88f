import type { Agent } from '../contracts/agents/agent.ts';
import type { Card } from '../coordination/round/card.ts';
import type { Member } from '../runtime/define/team.ts';
import { memberOf } from '../runtime/define/team.ts';
import type { SetupCheck } from './setup/check-setup.ts';
import { memberWith } from './setup/member-with.ts';

/** An agent, or an agent with words for what it can do: they count more than its description where it is looked for who fits. */
export type Skilled<Input, Output> =
  | Agent<Input, Output>
  | { readonly agent: Agent<Input, Output>; readonly skills: readonly string[] };

/** Members with their cards. */
export interface SkilledMembers {
  readonly cards: readonly Card[];
  readonly members: Readonly<Record<string, Member>>;
}

/** The cards and the agents of members, of whom some may have skills. */
export const skilledMembers = (
  team: string,
  given: Readonly<Record<string, Member | { readonly agent: Member; readonly skills: readonly string[] }>>,
  check: SetupCheck,
): SkilledMembers => {
  const members: Record<string, Member> = {};
  const cards = Object.entries(given).map(([name, member]): Card => {
    const [agent, { skills }] = memberWith<{ readonly skills: readonly string[] }>(team, name, member, [
      'skills',
    ]);
    members[name] = agent;
    const { description } = memberOf(team, name, agent);
    return { name, description, skills: check.texts(`skills of '${name}'`, skills) };
  });
  return { cards, members };
};
