/** Agents that live: served over HTTP, for pages, other services and `connect` of `troupe/client`; woken by time, queues and webhooks. */
export { serve } from './serve.ts';
export { schedules } from '../schedules/schedules.ts';
export type { Schedules } from '../schedules/schedule.ts';
