import { agent } from 'troupe';
import { scriptedModel } from 'troupe/testing';

const twelve = { text: 'Twelve.', usage: { input: 100, output: 30, billedUsd: 0.25 } };

/** Answers for a quarter of a dollar, as often as the tests of rehearsals ask. */
export default agent({ name: 'priced', model: scriptedModel(Array.from({ length: 9 }, () => twelve)) });
