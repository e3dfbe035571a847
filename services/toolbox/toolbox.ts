import { userInfo } from 'node:os';
import { createCommandUser } from '#toolbox/command-user.ts';
import { ReadBaselines } from '#toolbox/files/read-baselines.ts';
import { createRipgrep } from '#toolbox/search/ripgrep.ts';
import type { ToolboxSettings } from '#toolbox/settings.ts';
import { CommandRunner } from '#toolbox/shell/command-runner.ts';
import { OwnProcesses } from '#toolbox/shell/own-processes.ts';
import { PipePool } from '#toolbox/shell/pipe-pool.ts';
import { shellEnvironment } from '#toolbox/shell/shell-environment.ts';
import { createBashTool } from '#toolbox/tools/bash-tool.ts';
import { createEditTool } from '#toolbox/tools/edit-tool.ts';
import { createGlobTool } from '#toolbox/tools/glob-tool.ts';
import { createGrepTool } from '#toolbox/tools/grep-tool.ts';
import { createReadTool } from '#toolbox/tools/read-tool.ts';
import type { Tool } from '#toolbox/tools/tool.ts';
import { createWriteTool } from '#toolbox/tools/write-tool.ts';
import { Workspace } from '#toolbox/workspace.ts';

/** The tools of one session with what they share. */
export interface Toolbox {
  readonly tools: readonly Tool[];
  readonly workspace: Workspace;
  readonly runner: CommandRunner;
}

/** Wires the tools of one session together; nothing starts before `runner.prepare` or the first call. */
export function createToolbox(settings: ToolboxSettings, environment: NodeJS.ProcessEnv): Toolbox {
  const user = createCommandUser(settings.commandUser);
  const ownProcesses = new OwnProcesses();
  const workspace = new Workspace({
    root: settings.workspace,
    scratch: settings.scratch,
    home: settings.home,
    user,
  });
  const runner = new CommandRunner({
    workspace,
    user,
    ownProcesses,
    environment: shellEnvironment(environment, {
      home: settings.home,
      userName: settings.commandUser === undefined ? userInfo().username : 'agent',
    }),
    pipes: new PipePool(settings.runtimeDir),
    runtimeDir: settings.runtimeDir,
    ownsAllProcesses: settings.ownsAllProcesses,
  });
  const ripgrep = createRipgrep({ ripgrepPath: settings.ripgrepPath, user, ownProcesses });
  const baselines = new ReadBaselines();
  return {
    workspace,
    runner,
    tools: [
      createBashTool({ workspace, runner }),
      createReadTool({ workspace, baselines }),
      createWriteTool({ workspace, baselines }),
      createEditTool({ workspace, baselines }),
      createGlobTool({ workspace, ripgrep }),
      createGrepTool({ workspace, ripgrep }),
    ],
  };
}
