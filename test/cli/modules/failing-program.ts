import { agent, answer } from 'troupe';

await agent({ name: 'cellarer', decide: () => answer('wine') }).run('What is there?');
throw new Error('the cellar is flooded');
