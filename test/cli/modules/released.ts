import { releases } from './migrated.ts';

export { buyer, payer } from './migrated.ts';

export const versions = { '2.0': releases['2.0'] };
