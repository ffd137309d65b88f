import type { Definition } from '../../runtime/define/definition.ts';

/** An agent of the team whose memories outlive its runs. */
export const writingMember = ({ name, agent, members }: Definition): string | undefined => {
  if (agent !== undefined && agent.memories.length > 0) return name;
  for (const member of members.values()) {
    const found = writingMember(member);
    if (found !== undefined) return found;
  }
  return undefined;
};
