import { agent } from 'troupe';

export default agent({ name: '' });
