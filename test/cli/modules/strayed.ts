import { agent, answer } from 'troupe';
import { pipeline } from 'troupe/patterns';
import { payer } from './upgraded.ts';

const stray = (name: string) =>
  pipeline({ name: 'buyer', stages: [agent({ name, decide: () => answer('hello') }), payer] });

export const buyer = stray('porter');

export const versions = { '1.5': stray('usher'), '1.8': stray('warden') };
