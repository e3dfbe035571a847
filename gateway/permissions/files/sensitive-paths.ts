import type { ResolvedPath } from './resolved-path.ts';

// Folders whose contents decide what runs or who one is: a write there needs a person, whatever a rule says.
const guardedFolders: ReadonlySet<string> = new Set([
  '.git',
  '.ssh',
  '.aws',
  '.kube',
  '.gnupg',
  '.docker',
  '.azure',
  '.husky',
  '.toolgate',
]);

// Folders that hold keys: reading them needs a person too.
const secretFolders: ReadonlySet<string> = new Set(['.ssh', '.aws', '.kube', '.gnupg', '.azure']);

const guardedFiles: ReadonlySet<string> = new Set([
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.inputrc',
  '.envrc',
  '.gitconfig',
  '.gitmodules',
  '.npmrc',
  '.pypirc',
  '.netrc',
  '.git-credentials',
  '.pgpass',
  'permissions.yaml',
]);

const secretFiles: ReadonlySet<string> = new Set(['.netrc', '.git-credentials', '.pgpass']);

// Below /etc: accounts, who may become whom, and what starts by itself.
const guardedSystemPaths =
  /^\/etc\/(passwd|shadow|gshadow|group|sudoers|sudoers\.d|ssh|pam\.d|cron[^/]*|profile|profile\.d|bash\.bashrc|environment|ld\.so\.preload|ld\.so\.conf[^/]*|systemd|init\.d)-?(\/|$)/;
const secretSystemPaths = /^\/etc\/(shadow|gshadow|sudoers|sudoers\.d)-?(\/|$)/;
const processMemory = /^\/proc\/([^/]+\/)+(mem|environ)$/;
// Devices that swallow, produce or echo bytes; writing to any other one reaches hardware or kernel.
const harmlessDevices =
  /^\/dev\/(null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd\/\d+|shm\/.*|pts\/\d+)$/;

const environmentFile = /^\.env(\.|$)/;
const environmentSample = /\.(example|sample|template|dist|defaults?)$/;

/** Names that an operator or a tool adds to the defaults, in lower case. */
export interface GuardedNames {
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

/** Reads lists of names that add to the defaults; a folder may be written with "/" at its end. */
export function guardedNames(files: readonly string[], folders: readonly string[]): GuardedNames {
  const names = (entries: readonly string[]) =>
    new Set(entries.map(entry => entry.replace(/\/+$/, '').toLowerCase()));
  return { files: names(files), folders: names(folders) };
}

/** Why a write to this path needs a person in every mode, or undefined. */
export function guardedWrite(path: ResolvedPath, own: readonly GuardedNames[]): string | undefined {
  const folder = path.keys.find(
    key => guardedFolders.has(key) || own.some(({ folders }) => folders.has(key)),
  );
  if (folder !== undefined) return `is inside the guarded folder ${folder}`;
  for (const form of path.forms) {
    const name = nameOf(form);
    if (guardedFiles.has(name) || own.some(({ files }) => files.has(name)))
      return `is the guarded file ${name}`;
    if (isEnvironmentFile(name)) return 'is a file of environment settings';
    const place = guardedSystemPlace(withoutProcessRoot(form));
    if (place !== undefined) return place;
  }
  return undefined;
}

function guardedSystemPlace(form: string): string | undefined {
  if (form.startsWith('/etc/') && guardedSystemPaths.test(form))
    return 'decides about accounts or what the system starts';
  if (form.startsWith('/dev/') && !harmlessDevices.test(form)) return 'is a device';
  return /^\/(proc|sys|boot)\//.test(form) ? 'reaches the kernel' : undefined;
}

/** Why a read of this path needs a person in every mode, or undefined. */
export function guardedRead(path: ResolvedPath): string | undefined {
  const folder = path.keys.find(key => secretFolders.has(key));
  if (folder !== undefined) return `is inside the secret folder ${folder}`;
  for (const form of path.forms) {
    const name = nameOf(form);
    if (secretFiles.has(name)) return `is the secret file ${name}`;
    if (!/^\/(etc|proc)\//.test(form)) continue;
    const place = withoutProcessRoot(form);
    if (secretSystemPaths.test(place)) return 'holds password hashes or who may become whom';
    if (processMemory.test(place)) return 'shows the memory or environment of a process';
  }
  return undefined;
}

/** True for paths that often hold secrets: reading one takes an allow rule, but no person each time. */
export function isLikelySecret(path: ResolvedPath): boolean {
  return path.forms.some(form => isEnvironmentFile(nameOf(form)));
}

/** True for devices that bytes may always be written to, such as /dev/null. */
export function isHarmlessDevice(absolute: string): boolean {
  return harmlessDevices.test(absolute);
}

function isEnvironmentFile(name: string): boolean {
  return name.startsWith('.env') && environmentFile.test(name) && !environmentSample.test(name);
}

function withoutProcessRoot(form: string): string {
  return form.startsWith('/proc/')
    ? form.replace(/^\/proc\/(self|thread-self|\d+)\/(root|cwd)(?=\/)/, '')
    : form;
}

function nameOf(form: string): string {
  return form.slice(form.lastIndexOf('/') + 1);
}
