/** Agents and teams over HTTP: for pages, other services, and `connect` of `troupe/client`. */
export { serve } from './serve.ts';
