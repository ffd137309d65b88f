import { z } from 'zod';
import { agent, tool } from '../../../src/index.ts';
import { property } from '../../../src/policy/index.ts';

const wipe = tool({ name: 'wipe', description: 'Wipes.', input: z.object({}), execute: () => 'done' });

export default agent({ name: 'janitor', tools: [wipe] });

export const properties = [property.never('wipee')];
