/**
 * Environments of this machine: its files below one folder, its programs, and the network. Node only.
 */
export { hostEnvironment } from './host-environment.ts';
export type { HostEnvironmentOptions } from './host-environment.ts';
export { commandEnvironment } from './command-environment.ts';
export type { CommandEnvironmentOptions } from './command-environment.ts';
export { publicHttp } from '../http/http-environment.ts';
export type { HttpRules } from '../http/http-environment.ts';
export { environmentFrom, environmentMakers } from './environment-from-spec.ts';
export type { EnvironmentMaker, EnvironmentMakers } from './environment-from-spec.ts';
export type { AllowedCommand, AllowedCommands } from './allowed-commands.ts';
export type { CommandRules } from './command-rules.ts';
export type { FileLimits } from './host-files.ts';
export type { ProcessLimits } from './host-processes.ts';
