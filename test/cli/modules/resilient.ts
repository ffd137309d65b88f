import secretary from './patient.ts';

export default secretary;

export const resilience = { approve: true };
