/** At any depth, content written to a file or folder of this name may run as a program later, without a prompt. */
export const protectedNames: ReadonlySet<string> = new Set(
  [
    // Git, and hooks that run with a commit.
    '.git .gitmodules .gitconfig .husky .lefthook.yml lefthook.yml .pre-commit-config.yaml .githooks',
    '.chatmd argot.config.json',
    // Editors and their tools.
    '.vscode .vscode-server .idea .fleet .zed .cursor .devcontainer .vs .nova .sublime-project',
    '.vim .vimrc .gvimrc .exrc .nvimrc .nvim.lua .lvimrc .emacs .emacs.d .dir-locals.el .dir-locals-2.el .nanorc',
    '.mcp.json .claude .codex .gemini .aider.conf.yml',
    // Shells and their startup files.
    '.profile .login .logout .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .inputrc',
    '.zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .envrc .direnv .tmux.conf .screenrc',
    '.xprofile .xinitrc .xsession .xsessionrc .pam_environment .mise.toml mise.toml .asdfrc',
    // Programs that run commands from their settings.
    '.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnp.cjs .gdbinit .lldbinit .pythonrc .pythonstartup .irbrc .curlrc .wgetrc',
    '.ssh .gnupg',
  ]
    .join(' ')
    .split(' '),
)

/** Folders that are protected with everything in them, by the last two names of their path. */
export const protectedTails: readonly string[] = ['.config/fish', '.config/git', '.config/nvim', '.config/autostart']

/** The first protected name in a path, from the root down; undefined if there is none. */
export function protectedNameIn(relativePath: string): string | undefined {
  const names = relativePath.split(/[\\/]/)
  const plain = names.map(toPlainName)
  const at = plain.findIndex(
    (name, index) =>
      protectedNames.has(name) || protectedTails.includes(index === 0 ? name : `${plain[index - 1]}/${name}`),
  )
  return at === -1 ? undefined : names[at]
}

export function isDocumentPath(path: string): boolean {
  return toPlainName(path).endsWith('.chatmd')
}

/**
 * Normalizes a name the way lenient file systems compare them: ignores case, trailing spaces and dots, anything after a
 * colon, and invisible characters.
 */
function toPlainName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/:.*$/, '')
    .replace(/(?<=.)[. ]+$/, '')
    .toLowerCase()
    .replace(/^git~\d+$/, '.git')
}
