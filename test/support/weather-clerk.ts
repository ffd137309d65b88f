import { z } from 'zod';
import type { AgentOptions } from '../../src/contracts/agents/agent.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import type { Tool } from '../../src/contracts/tools/tool.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { tool } from '../../src/tools/define/define-tool.ts';

/** A tool that says what the weather is like, and remembers where it was asked for. */
export const weatherTool = (asked: string[] = []): Tool =>
  tool({
    name: 'weather',
    description: 'The weather in a city.',
    input: z.object({ city: z.string().max(200) }),
    execute: ({ city }) => {
      asked.push(city);
      return `Sunny in ${city}`;
    },
  });

/** An agent with that tool, talking to `model`. */
export const weatherClerk =
  (options: Partial<AgentOptions> = {}) =>
  (model: Model) =>
    agent({
      name: 'clerk',
      instructions: 'Say what the weather is like.',
      model,
      tools: [weatherTool()],
      ...options,
    });

/** The arguments of a call for a city. */
export const cityArguments = (city: string): string => JSON.stringify({ city });

/** A call for the weather somewhere. */
export const asksWeather = (
  city: string,
  id?: string,
): { readonly name: string; readonly arguments: string; readonly id?: string } => ({
  name: 'weather',
  arguments: cityArguments(city),
  ...(id === undefined ? {} : { id }),
});
