import type { Toolset } from '../../contracts/tools/tool.ts';
import type { EnvironmentSession } from '../../tools/environments/environment-session.ts';

/** A toolset without tools that closes the environment, so that it is torn down last, within the same limits and with the same reports. */
export const closingSet = (session: () => EnvironmentSession | undefined): Toolset => ({
  name: 'environment',
  tools: [],
  teardown: async () => {
    const issues = (await session()?.close()) ?? [];
    if (issues.length > 0) throw new Error(issues.map(({ message }) => message).join('; '));
  },
});
