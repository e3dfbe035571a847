import type { PermissionTraits } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { ResolvedPath } from './resolved-path.ts';

// Folders whose contents decide what runs or who one is: a write there needs a person, whatever a rule says.
const guardedFolders = [
  '.git',
  '.ssh',
  '.aws',
  '.kube',
  '.gnupg',
  '.docker',
  '.azure',
  '.husky',
  '.toolgate',
];

// Folders that hold keys: reading them needs a person too.
const secretFolders = ['.ssh', '.aws', '.kube', '.gnupg', '.azure'];

const guardedFiles = [
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
];

const secretFiles = ['.netrc', '.git-credentials', '.pgpass'];

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

/** Why a write to this path needs a person in every mode, or undefined. */
export function guardedWrite(path: ResolvedPath, traits: PermissionTraits | undefined): string | undefined {
  return firstReason(path, form => guardedEntry(form, traits) ?? guardedSystemPlace(form));
}

function guardedEntry(form: string, traits: PermissionTraits | undefined): string | undefined {
  const segments = segmentsOf(form);
  const name = segments.at(-1) ?? '';
  const folder =
    segments.find(segment => guardedFolders.includes(segment)) ??
    ownEntry(segments, traits?.dangerousDirectories);
  if (folder !== undefined) return `is inside the guarded folder ${folder}`;
  if (guardedFiles.includes(name) || ownEntry([name], traits?.dangerousFiles) !== undefined)
    return `is the guarded file ${name}`;
  return isEnvironmentFile(name) ? 'is a file of environment settings' : undefined;
}

function guardedSystemPlace(form: string): string | undefined {
  if (guardedSystemPaths.test(form)) return 'decides about accounts or what the system starts';
  if (form.startsWith('/dev/') && !harmlessDevices.test(form)) return 'is a device';
  return /^\/(proc|sys|boot)\//.test(form) ? 'reaches the kernel' : undefined;
}

/** Why a read of this path needs a person in every mode, or undefined. */
export function guardedRead(path: ResolvedPath): string | undefined {
  return firstReason(path, form => {
    const segments = segmentsOf(form);
    const name = segments.at(-1) ?? '';
    const folder = segments.find(segment => secretFolders.includes(segment));
    if (folder !== undefined) return `is inside the secret folder ${folder}`;
    if (secretFiles.includes(name)) return `is the secret file ${name}`;
    if (secretSystemPaths.test(form)) return 'holds password hashes or who may become whom';
    if (processMemory.test(form)) return 'shows the memory or environment of a process';
    return undefined;
  });
}

/** True for paths that often hold secrets: reading one takes an allow rule, but no person each time. */
export function isLikelySecret(path: ResolvedPath): boolean {
  return formsOf(path).some(form => isEnvironmentFile(segmentsOf(form).at(-1) ?? ''));
}

/** True for devices that bytes may always be written to, such as /dev/null. */
export function isHarmlessDevice(absolute: string): boolean {
  return harmlessDevices.test(absolute);
}

function isEnvironmentFile(name: string): boolean {
  return environmentFile.test(name) && !environmentSample.test(name);
}

function ownEntry(names: readonly string[], entries: readonly string[] | undefined): string | undefined {
  const wanted = entries?.map(entry => entry.replace(/\/+$/, '').toLowerCase());
  return names.find(name => wanted?.includes(name));
}

function firstReason(
  path: ResolvedPath,
  reasonFor: (form: string) => string | undefined,
): string | undefined {
  for (const form of formsOf(path)) {
    const reason = reasonFor(form);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

// Lower case throughout: some file systems do not tell cases apart, and no harmless file needs the name .GIT.
function formsOf(path: ResolvedPath): string[] {
  const forms = path.real === undefined ? [path.absolute] : [path.absolute, path.real];
  return forms.map(form =>
    form.replace(/^\/proc\/(self|thread-self|\d+)\/(root|cwd)(?=\/)/, '').toLowerCase(),
  );
}

function segmentsOf(form: string): string[] {
  return form.split('/').filter(segment => segment !== '');
}
