import { homedir } from 'node:os'
import { join } from 'node:path'

/** What confined programs don't see of the home folder. docs/security.md has the same list. */
export const HIDDEN_AT_HOME: readonly string[] = [
  // Keys and passwords.
  ...['.ssh', '.gnupg', '.pki', '.age', '.password-store', '.local/share/keyrings', '.local/share/kwalletd'],
  ...['.netrc', '.authinfo', '.authinfo.gpg', '.git-credentials', '.config/git/credentials', '.vault-token'],
  ...['.config/op', '.config/Bitwarden', '.config/Bitwarden CLI', '.config/keepassxc', '.config/sops'],
  // Clouds and clusters.
  ...['.aws', '.azure', '.config/gcloud', '.kube', '.docker', '.config/containers', '.oci', '.aliyun', '.bluemix'],
  ...['.config/doctl', '.config/hcloud', '.config/heroku', '.fly', '.config/rclone', '.s3cfg', '.boto'],
  ...['.terraform.d', '.terraformrc', '.pulumi', '.databrickscfg', '.snowflake', '.config/scw'],
  // Forges and package registries.
  ...[
    '.config/gh',
    '.config/hub',
    '.config/glab-cli',
    '.config/tea',
    '.npmrc',
    '.yarnrc.yml',
    '.pypirc',
    '.config/pip',
  ],
  ...['.cargo/credentials', '.cargo/credentials.toml', '.gem/credentials', '.m2/settings.xml', '.config/composer'],
  ...['.m2/settings-security.xml', '.gradle/gradle.properties', '.nuget/NuGet', '.config/NuGet', '.composer/auth.json'],
  // Databases.
  ...['.pgpass', '.my.cnf', '.mylogin.cnf', '.dbshell', '.mongorc.js', '.rediscli_auth'],
  // Models and agents.
  ...['.claude', '.claude.json', '.codex', '.gemini', '.huggingface', '.config/openai', '.config/anthropic'],
  ...['.config/github-copilot', '.config/argot'],
  // Browsers, mail and messengers.
  ...['.mozilla', '.config/google-chrome', '.config/chromium', '.config/BraveSoftware', '.config/microsoft-edge'],
  ...['.config/vivaldi', '.config/opera', '.thunderbird', '.config/Signal', '.config/Slack', '.config/discord'],
  ...['.electrum', '.bitcoin', '.ethereum', '.config/solana', '.var/app', 'snap', 'Library/Keychains'],
  ...['Library/Application Support/Google', 'Library/Application Support/Firefox', 'Library/Cookies'],
  // Histories of typed commands.
  ...['.bash_history', '.zsh_history', '.local/share/fish/fish_history', '.python_history', '.node_repl_history'],
  ...['.psql_history', '.mysql_history', '.sqlite_history', '.rediscli_history', '.lesshst', '.viminfo'],
]

/** What confined programs don't see of the system. docs/security.md has the same list. */
export const HIDDEN_IN_SYSTEM: readonly string[] = [
  ...['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/sudoers', '/etc/sudoers.d'],
  ...['/etc/ssl/private', '/etc/pki/tls/private', '/etc/krb5.keytab', '/etc/wireguard', '/etc/NetworkManager'],
  ...['/etc/ssh/ssh_host_rsa_key', '/etc/ssh/ssh_host_ecdsa_key', '/etc/ssh/ssh_host_ed25519_key'],
  ...['/etc/kubernetes', '/etc/docker', '/var/lib/docker', '/var/lib/kubelet', '/var/spool/cron', '/var/lib/sudo'],
]

/** Confined programs get an empty folder instead of these, which is deleted when they end. */
export const CACHES_AT_HOME: readonly string[] = ['.cache', '.npm']

export function findHomes(env: Readonly<Record<string, string | undefined>>): string[] {
  const userHome = (() => {
    try {
      return homedir()
    } catch {
      return ''
    }
  })()
  return [...new Set([env.HOME ?? '', userHome])].filter(home => home.startsWith('/') && home !== '/')
}

/** Everything to hide, whether it exists or not. */
export function hiddenPaths(env: Readonly<Record<string, string | undefined>>): string[] {
  const config = env.XDG_CONFIG_HOME
  return [
    ...findHomes(env).flatMap(home => HIDDEN_AT_HOME.map(path => join(home, path))),
    ...(config?.startsWith('/') === true
      ? HIDDEN_AT_HOME.filter(path => path.startsWith('.config/')).map(path => join(config, path.slice(8)))
      : []),
    ...HIDDEN_IN_SYSTEM,
  ]
}
