import { agent } from 'troupe';

export default agent({ name: 'clerk', output: 42 });
