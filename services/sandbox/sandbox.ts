import type { Client } from '@connectrpc/connect';
import type { ExecutorService, Isolation } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import type { EffectiveSettings } from '#sandbox/sandbox-bounds.ts';

/** How a sandbox ended. */
export interface SandboxEnd {
  /** REMOVED was asked for here; the others happened to it. */
  readonly kind: 'REMOVED' | 'OUT_OF_MEMORY' | 'LOST';
  /** What is known about it, as half a sentence. */
  readonly detail: string;
}

/** The isolated place of one session's calls, with a toolbox inside that answers. */
export interface Sandbox {
  /** The toolbox inside. */
  readonly toolbox: Client<typeof ExecutorService>;
  /** Resolves when it has ended, whyever; never rejects. */
  readonly ended: Promise<SandboxEnd>;
  /** Kills what runs in it and frees all but the workspace. Idempotent. */
  remove(): Promise<void>;
}

/** Makes sandboxes of one type. Its errors are ConnectErrors; when `create` rejects, nothing is left behind. */
export interface SandboxProvider {
  readonly isolation: Isolation;
  /** Makes a session's sandbox, on the workspace it had before if there was one. `signal` ends the attempt. */
  create(sessionId: string, settings: EffectiveSettings, signal: AbortSignal): Promise<Sandbox>;
  /** Deletes a session's workspace; the sandbox must be gone. Idempotent. */
  removeWorkspace(sessionId: string, signal: AbortSignal): Promise<void>;
  /** Removes what an earlier executor of the same owner left running. Workspaces stay. */
  removeLeftovers(signal: AbortSignal): Promise<void>;
}
