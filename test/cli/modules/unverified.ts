import { agent } from '../../../src/index.ts';

export default agent({ name: 'clerk' });

export const properties = ['never pay'];
