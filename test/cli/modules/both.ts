export { default as clerk } from './people.ts';
export { default as patient } from './patient.ts';
