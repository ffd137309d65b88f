/**
 * Environments of this machine: its files below one folder, its programs, and the network. Node only.
 */
export { hostEnvironment } from './environment-host.ts';
export type { HostEnvironmentOptions } from './environment-host.ts';
export { commandEnvironment } from './environment-command.ts';
export type { CommandEnvironmentOptions } from './environment-command.ts';
export { publicHttp } from './environment-http.ts';
export type { HttpRules } from './environment-http.ts';
export { environmentFrom, environmentMakers } from './environment-from-spec.ts';
export type { EnvironmentMaker, EnvironmentMakers } from './environment-from-spec.ts';
export type { AllowedCommand, AllowedCommands } from './environment-allowed-commands.ts';
export type { CommandRules } from './environment-command-rules.ts';
export type { FileLimits } from './environment-host-files.ts';
export type { ProcessLimits } from './environment-host-processes.ts';
