/**
 * Names that other programs obey: what is written to a file or folder of this name may run as a program later, without
 * anybody being asked. They are protected at any depth.
 */
export const protectedNames: ReadonlySet<string> = new Set(
  [
    // Git, and what runs with a commit.
    '.git .gitmodules .gitconfig .husky .lefthook.yml lefthook.yml .pre-commit-config.yaml .githooks',
    // Argot.
    '.chatmd argot.config.json',
    // Editors and the tools in them.
    '.vscode .vscode-server .idea .fleet .zed .cursor .devcontainer .vs .nova .sublime-project',
    '.vim .vimrc .gvimrc .exrc .nvimrc .nvim.lua .lvimrc .emacs .emacs.d .dir-locals.el .dir-locals-2.el .nanorc',
    // Other agents.
    '.mcp.json .claude .codex .gemini .aider.conf.yml',
    // Shells, and what they start with.
    '.profile .login .logout .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .inputrc',
    '.zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .envrc .direnv .tmux.conf .screenrc',
    '.xprofile .xinitrc .xsession .xsessionrc .pam_environment .mise.toml mise.toml .asdfrc',
    // Programs that run what their settings name.
    '.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnp.cjs .gdbinit .lldbinit .pythonrc .pythonstartup .irbrc .curlrc .wgetrc',
    '.ssh .gnupg',
  ]
    .join(' ')
    .split(' '),
)

/** Folders in which everything is protected, by the two names at the end of their path. */
export const protectedTails: readonly string[] = ['.config/fish', '.config/git', '.config/nvim', '.config/autostart']

/** The protected name that a path goes through, read from the root down; undefined if there is none. */
export function protectedNameIn(relativePath: string): string | undefined {
  const names = relativePath.split(/[\\/]/)
  const plain = names.map(toPlainName)
  const at = plain.findIndex(
    (name, index) =>
      protectedNames.has(name) || protectedTails.includes(index === 0 ? name : `${plain[index - 1]}/${name}`),
  )
  return at === -1 ? undefined : names[at]
}

/** Whether a path is that of a document of Argot. */
export function isDocumentPath(path: string): boolean {
  return toPlainName(path).endsWith('.chatmd')
}

/**
 * A name as the file systems compare it that take several spellings for one: without regard to case, to blanks and dots
 * at the end, to what follows a colon, and to characters that cannot be seen.
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
