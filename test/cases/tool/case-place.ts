import type { SandboxExecutorConfig } from '#sandbox/config.ts';
import { startTestSandbox, type TestSandbox } from '#test/test-sandbox.ts';
import type { CaseWorkspace } from './case-workspace.ts';
import { dockerWorkspace } from './docker-workspace.ts';
import { localWorkspace } from './local-workspace.ts';

/** Where cases are played: one sandbox executor, and the workspaces of its sessions. */
export interface CasePlace extends AsyncDisposable {
  readonly type: SandboxExecutorConfig['type'];
  readonly sandbox: TestSandbox;
  /** The workspace of a session; in a container it begins to run with that. */
  openWorkspace(sessionId: string): Promise<CaseWorkspace>;
}

/** Starts a sandbox executor of that type; disposing ends every session that was opened. */
export async function startCasePlace(type: SandboxExecutorConfig['type']): Promise<CasePlace> {
  const sandbox = await startTestSandbox({ type });
  const opened = new Set<string>();
  return {
    type,
    sandbox,
    openWorkspace: async sessionId => {
      opened.add(sessionId);
      if (type === 'LOCAL') return localWorkspace(sandbox.workspace(sessionId));
      await sandbox.call('Bash', { command: 'true' }, { sessionId });
      return dockerWorkspace(sandbox.config.owner, sessionId);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...opened].map(sessionId => sandbox.client.closeSession({ sessionId })));
      await sandbox[Symbol.asyncDispose]();
    },
  };
}
