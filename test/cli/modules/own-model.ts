import { agent } from 'troupe';

/** Has a model of its own, whose key is not set. */
export default agent({ name: 'keyless', model: 'openai:gpt-5.5' });
