import { agent } from 'troupe';

const throwOfTheApp = (): never => {
  throw new TypeError('it broke');
};

/** Fails in the app's own code. */
export default agent({ name: 'throwing', decide: () => throwOfTheApp() });
