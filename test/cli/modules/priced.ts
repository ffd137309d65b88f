import { agent } from 'troupe';
import { scriptedModel } from 'troupe/testing';

/** Answers for a quarter of a dollar. */
export default agent({
  name: 'priced',
  model: scriptedModel([{ text: 'Twelve.', usage: { input: 100, output: 30, billedUsd: 0.25 } }]),
});
