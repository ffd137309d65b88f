import { makeShop } from './simulated.ts';

export default makeShop();

export const simulation = { make: makeShop, tools: 'executed' } as const;
