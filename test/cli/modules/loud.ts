import { agent, answer } from 'troupe';

console.log('loading, by console.log');
console.info('loading, by console.info');
process.stdout.write('loading, by the stream\n');

export const clerk = agent({ name: 'clerk', decide: () => answer('from the clerk') });
export const porter = agent({ name: 'porter', decide: () => answer('from the porter') });
